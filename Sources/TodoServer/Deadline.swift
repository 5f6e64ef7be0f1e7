import Foundation
import Network
import TodoSync

/// The last word of a shutdown: where a transaction takes longer than the time that an operator's service manager gives, it is given up.
///
/// Nobody has its result yet, and the store takes it back when it is opened again.
enum Deadline {
    private static let closeSeconds: UInt32 = 3
    private static let exitSeconds: UInt32 = 1

    /// Closes the sessions after 3 s and ends the process after 4 s, if it has not ended by then.
    static func start(_ mailboxes: [Mailbox<EdgeMessage<PortMessage>>], _ log: Log) {
        do {
            _ = try NamedThread(name: "deadline") {
                sleep(closeSeconds)
                for mailbox in mailboxes { _ = mailbox.post(.shutDown) }
                sleep(exitSeconds)
                log(.warning, "stopped in the middle of a long transaction, which leaves nothing")
                _exit(0)
            }
        } catch {
            log(.error, "\(error)")
        }
    }
}
