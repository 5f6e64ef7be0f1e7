import WebSocket

/// One connection of an idle run: the opening handshake, then a WebSocket that only answers pings.
struct IdleConnection: ~Copyable {
    enum Stage {
        case upgrading
        case open
        case loggingIn
        case loggedIn
        case leaving
    }

    /// Whether it stays until the end; the others are closed as soon as they are open.
    let isLasting: Bool
    /// Counted from 0 among those of its kind.
    let number: Int
    var stage = Stage.upgrading
    /// Only while the opening handshake lasts: ten thousand of them are heavy.
    var upgrade: Upgrade?
    var webSocket: WebSocketConnection?

    init(number: Int, isLasting: Bool, handshake: ClientHandshake) {
        self.number = number
        self.isLasting = isLasting
        upgrade = Upgrade(handshake)
    }

    /// An opening handshake under way.
    final class Upgrade {
        let handshake: ClientHandshake
        var parser = HTTPResponseParser()

        init(_ handshake: ClientHandshake) {
            self.handshake = handshake
        }
    }
}
