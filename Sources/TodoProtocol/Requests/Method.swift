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
    case findUser
    case inviteCreate = "invite.create"
    case inviteAccept = "invite.accept"
    case inviteList = "invite.list"
    case inviteRevoke = "invite.revoke"
    case adminStats = "admin.stats"
    case adminUsers = "admin.users"
    case adminSessions = "admin.sessions"
    case adminDisconnect = "admin.disconnect"
    case adminDeleteUser = "admin.deleteUser"

    /// Whether only admins may call it: others are told so before their parameters are looked at.
    public var needsAdmin: Bool {
        switch self {
        case .adminStats, .adminUsers, .adminSessions, .adminDisconnect, .adminDeleteUser: true
        default: false
        }
    }

    /// Whether a connection must have logged in to call it.
    public var needsLogin: Bool {
        switch self {
        case .info, .register, .login: false
        default: true
        }
    }
}
