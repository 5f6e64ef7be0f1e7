/// The methods of the protocol: the table that decoding, log-in checks and error messages read.
///
/// A new method is a case here, a case of `Call`, and a function that decodes its parameters.
public enum Method: String, CaseIterable, Sendable {
    case info
    case register
    case login
    case logout
    case changePassword
    case sessions
    case endSession = "session.end"
    case subscribe
    case unsubscribe
    case query
    case write

    /// Whether a connection must have logged in to call it.
    public var needsLogin: Bool {
        switch self {
        case .info, .register, .login: false
        case .logout, .changePassword, .sessions, .endSession, .subscribe, .unsubscribe, .query, .write: true
        }
    }
}
