/// The protocol that this module speaks.
public enum ProtocolVersion {
    /// Its name as a WebSocket subprotocol (RFC 6455 §1.9) and in `info`.
    public static let name = "todosync.v1"
}

/// The close codes of this protocol's own, from the range that RFC 6455 §7.4.2 leaves to private use.
public enum SessionCloseCode: UInt16, CaseIterable, Sendable {
    /// Nobody logged in on the connection in time.
    case noLogin = 4001
    /// The token was revoked: logged out, suspended, deleted, or the password changed.
    case revoked = 4002
    /// The reader stayed too slow to be kept.
    case tooSlow = 4003
}

/// Whether a client connects again, with back-off and jitter, after a close.
public enum Reconnection {
    /// Whether it does after this code: not where the same would only happen again. A normal close (1000) was wanted by this side.
    public static func isDue(afterClose code: UInt16) -> Bool {
        switch code {
        case 1001, 1006, 1011, 1013, SessionCloseCode.tooSlow.rawValue: true
        default: false
        }
    }
}
