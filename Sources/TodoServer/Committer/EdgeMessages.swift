import Bytes
import Network
import TodoSync
import WebSocket

/// Turns what the session layer delivers into messages for an event loop, in the same order.
///
/// A broadcast is framed here, once for all its sessions. What another thread has written for a session is framed there; what is for one session
/// alone is framed, and compressed, by its loop.
struct EdgeMessages {
    private(set) var messages: [EdgeMessage<PortMessage>] = []
    private var broadcasts: [SharedDelivery] = []

    init(_ deliveries: [Delivery], _ framer: inout BroadcastFramer) {
        for delivery in deliveries {
            switch delivery {
            case .broadcast(let text, let connections):
                broadcasts.append(SharedDelivery(message: framer.message(text), ids: connections.map { ConnectionID(bits: $0) }))
            case .message(let text, let connection, let reportsDrained, isShared: true):
                append(.session(.sendShared(framer.lasting(text), to: ConnectionID(bits: connection), reportsDrained: reportsDrained)))
            case .message(let text, let connection, let reportsDrained, isShared: false):
                append(.session(.send(text, to: ConnectionID(bits: connection), reportsDrained: reportsDrained)))
            case .framed(let frames, let connection, let reportsDrained):
                guard let message = frames as? SharedMessage else {
                    preconditionFailure("a job's message is framed by the pool that ran the job")
                }
                append(.session(.sendShared(message, to: ConnectionID(bits: connection), reportsDrained: reportsDrained)))
            case .worked(let connection, let report): append(.session(.worked(ConnectionID(bits: connection), report)))
            case .watch(let connection): append(.session(.watch(ConnectionID(bits: connection))))
            case .close(let connection, let code, let reason):
                append(.close(ConnectionID(bits: connection), CloseCode(rawValue: code), reason: reason))
            }
        }
        flushBroadcasts()
    }

    private mutating func append(_ message: EdgeMessage<PortMessage>) {
        flushBroadcasts()
        messages.append(message)
    }

    private mutating func flushBroadcasts() {
        guard !broadcasts.isEmpty else { return }
        messages.append(.deliver(broadcasts))
        broadcasts = []
    }
}
