/// A close code (RFC 6455 §7.4), as a number with names: codes from 3000 on belong to libraries and applications.
public struct CloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number.
    public let rawValue: UInt16

    /// A code by its number.
    @inlinable public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The purpose of the connection is fulfilled.
    public static let normal = CloseCode(rawValue: 1000)
    /// The server shuts down, or the page is left.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// The peer broke the protocol.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// The peer sent a kind of message that is not taken.
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// No code was given. Never sent.
    public static let noStatus = CloseCode(rawValue: 1005)
    /// The connection broke without a closing handshake. Never sent.
    public static let abnormal = CloseCode(rawValue: 1006)
    /// The content of a message is not what its kind says: text that is not UTF-8, compressed data that is damaged.
    public static let invalidPayload = CloseCode(rawValue: 1007)
    /// A policy was broken.
    public static let policyViolation = CloseCode(rawValue: 1008)
    /// A message is bigger than is taken.
    public static let messageTooBig = CloseCode(rawValue: 1009)
    /// The server met an unexpected condition.
    public static let internalError = CloseCode(rawValue: 1011)
    /// The server is overloaded; try again later.
    public static let tryAgainLater = CloseCode(rawValue: 1013)

    /// Whether the code may stand in a close frame (RFC 6455 §7.4.1, §7.4.2 and the registry up to 1014).
    public var mayBeSent: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// The number.
    public var description: String { String(rawValue) }
}
