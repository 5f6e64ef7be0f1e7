import Foundation
import Network
import TodoSync

/// Where `todo-server user` reaches a running server: a Unix socket in the data folder, which only the server's own user may open.
///
/// One command a connection: a line with the command comes, a line with the reply goes back.
struct ControlSocket {
    private let path: String

    private static let name = "control"
    private static let commandBytesMax = 65_536
    private static let waitSeconds = 60

    // MARK: The server's side

    /// Listens until the process ends, on a thread of its own. The folder's lock is held by then, so a socket that is there is left
    /// over from a server that was killed.
    static func listen(in folder: String, _ committer: Mailbox<CommitterMessage>, _ log: Log) throws -> ControlSocket {
        let path = folder + "/" + name
        unlink(path)
        let descriptor = try socket()
        // The rights of the file that `bind` makes, so that it is never open to others, not even for a moment.
        guard fchmod(descriptor.number, 0o600) == 0 else { throw SystemError("fchmod", to: "protect \(path)") }
        let code = try withAddress(of: folder) { bind(descriptor.number, $0, $1) == 0 ? 0 : errno }
        guard code == 0 else { throw SystemError("bind", to: "listen on \(path)", code: code) }
        guard Foundation.listen(descriptor.number, 16) == 0 else { throw SystemError("listen", to: "listen on \(path)") }
        let number = descriptor.release()
        _ = try NamedThread(name: "control") {
            while true {
                let client = accept(number, nil, nil)
                guard client >= 0 else {
                    // Nothing to accept with at the moment: the next one may find something.
                    sleep(1)
                    continue
                }
                serve(Descriptor(owning: client), committer, log)
            }
        }
        return ControlSocket(path: path)
    }

    /// Removes the socket's file, so that nobody waits for a server that is gone.
    func remove() {
        unlink(path)
    }

    private static func serve(_ client: consuming Descriptor, _ committer: Mailbox<CommitterMessage>, _ log: Log) {
        setTimeouts(client.number, seconds: 5)
        guard let line = readLine(client.number, bytesMax: commandBytesMax), let command = ControlCodec.command(line) else { return }
        let reply = outcome(of: command, committer) ?? .refused("The server is busy; try again.")
        if !write(ControlCodec.encode(reply), to: client.number) { log(.warning, "an operator's command was not waited for") }
    }

    /// What the committer makes of the command.
    private static func outcome(of command: OperatorCommand, _ committer: Mailbox<CommitterMessage>) -> OperatorReply? {
        guard let answers = try? Mailbox<OperatorReply>() else { return nil }
        committer.send(.input(.operated(command, reply: { _ = answers.post($0) })))
        _ = answers.wait(timeoutMilliseconds: waitSeconds * 1000)
        var replies: [OperatorReply] = []
        answers.takeAll(into: &replies)
        return replies.first
    }

    // MARK: The operator's side

    /// Sends the command to the server that runs on the folder; `nil` where none does.
    static func send(_ command: OperatorCommand, to folder: String) throws -> OperatorReply? {
        let descriptor = try socket()
        let code = try withAddress(of: folder) { connect(descriptor.number, $0, $1) == 0 ? 0 : errno }
        if code == ECONNREFUSED || code == ENOENT { return nil }
        guard code == 0 else { throw SystemError("connect", to: "reach the server that runs on \(folder)", code: code) }
        setTimeouts(descriptor.number, seconds: waitSeconds + 5)
        guard write(ControlCodec.encode(command), to: descriptor.number),
            let line = readLine(descriptor.number, bytesMax: 1 << 30), let reply = ControlCodec.reply(line)
        else { throw UsageError(message: "the server that runs on \(folder) gave no answer; its log may say why") }
        return reply
    }

    // MARK: Bytes

    private static func socket() throws(SystemError) -> Descriptor {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        return try Descriptor(result: Foundation.socket(AF_UNIX, type, 0), of: "socket", to: "make the control socket")
    }

    /// The socket's address, through the folder's descriptor: so the folder's path may be longer than the 107 bytes of an address.
    private static func withAddress(
        of folder: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemError) -> Int32 {
        let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let descriptor = try Descriptor(result: opened, of: "open", to: "use the folder \(folder)")
        return try SocketAddress.unix(path: "/proc/self/fd/\(descriptor.number)/\(name)").withBytes { bytes, length in
            call(bytes.assumingMemoryBound(to: sockaddr.self), length)
        }
    }

    /// Nobody holds the thread up by sending or taking nothing.
    private static func setTimeouts(_ descriptor: Int32, seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// The bytes up to the end of the line; `nil` where it does not come.
    private static func readLine(_ descriptor: Int32, bytesMax: Int) -> [UInt8]? {
        var line: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while line.count < bytesMax {
            let count = recv(descriptor, &part, part.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            line += part.prefix(count)
            if part[count - 1] == UInt8(ascii: "\n") { return line }
        }
        return nil
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
