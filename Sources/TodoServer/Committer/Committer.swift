import Network
import Synchronization
import TodoStore
import TodoSync

/// What reaches the committer's thread.
enum CommitterMessage: Sendable {
    /// Something for the session layer.
    case input(Input)
    /// Finish what is queued, close every session, and end.
    case shutDown

    /// Whether the turn that is under way is to end for it.
    var isUrgent: Bool {
        switch self {
        case .input(let input): input.isUrgent
        case .shutDown: false
        }
    }
}

extension Mailbox<CommitterMessage> {
    /// Hands the message to the committer, which stops a turn for one that is urgent.
    func send(_ message: CommitterMessage) {
        _ = post(message, isUrgent: message.isUrgent)
    }
}

/// The one thread that owns the store and the session layer: it takes all that waits, commits it together and hands out what follows.
struct Committer {
    let mailbox: Mailbox<CommitterMessage>
    let settings: SyncSettings
    let log: Log
    /// Where the sessions that take compressed messages are counted, and the store's health is kept.
    let status: ServerStatus
    /// Those of the event loops, by number.
    let loops: [Mailbox<EdgeMessage<PortMessage>>]
    /// Publishes the counters, after each turn.
    let report: @Sendable (SyncFigures, _ version: Int64) -> Void

    private static let tickMilliseconds: Int64 = 1000

    /// Runs until it is told to shut down; the store is closed then.
    func run(_ store: any Store, _ jobs: any JobRunner) {
        let hub = Hub(store: store, settings: settings, loops: loops.count, jobs: jobs, log: log, moment: .now())
        hub.isUrgentInputWaiting = { [mailbox] in mailbox.isUrgent }
        var framer = BroadcastFramer(status: status)
        var messages: [CommitterMessage] = []
        var inputs: [Input] = []
        var nextTick = Moment.now().monotonicMilliseconds + Self.tickMilliseconds
        var isEnding = false
        while !isEnding || hub.hasWork {
            if !hub.hasWork {
                let pause = max(0, nextTick - Moment.now().monotonicMilliseconds)
                _ = mailbox.wait(timeoutMilliseconds: Int(pause))
            }
            // Once it is to end, what was taken before is finished and nothing more begun.
            if !isEnding { mailbox.takeAll(into: &messages) }
            for message in messages {
                switch message {
                case .input(let input): inputs.append(input)
                case .shutDown: isEnding = true
                }
            }
            messages.removeAll(keepingCapacity: true)
            let now = Moment.now()
            if !inputs.isEmpty || hub.hasWork { hub.process(inputs, at: now) }
            inputs.removeAll(keepingCapacity: true)
            if now.monotonicMilliseconds >= nextTick {
                hub.tick(at: now)
                nextTick = now.monotonicMilliseconds + Self.tickMilliseconds
            }
            if isEnding, !hub.hasWork { hub.shutDown() }
            for (loop, mailbox) in loops.enumerated() {
                let deliveries = hub.takeDeliveries(loop: loop)
                if !deliveries.isEmpty { mailbox.post(contentsOf: EdgeMessages(deliveries, &framer).messages) }
            }
            framer.endTurn()
            status.isStoreReachable.store(hub.isStoreWritable, ordering: .relaxed)
            report(hub.figures, store.version)
        }
        store.close()
    }
}
