public import Bytes
import Todo

/// The errors of the protocol by name, one for each line of its table at least.
extension ErrorResponse {
    /// The message is not JSON.
    public static func parse(_ error: JSONError) -> ErrorResponse {
        var response = ErrorResponse(.parse, .parse, error.description)
        response.position = error.offset
        return response
    }

    /// The JSON is not a request; `path` is the envelope's member.
    public static func invalidRequest(_ message: String, path: String? = nil) -> ErrorResponse {
        ErrorResponse(.invalidRequest, .invalidRequest, message, path: path)
    }

    /// The batch is empty.
    public static let emptyBatch = ErrorResponse(.invalidRequest, .emptyBatch, "A batch must hold at least one request.")

    /// There is no method of that name.
    public static func unknownMethod(_ name: String) -> ErrorResponse {
        let names = Method.allCases.map(\.rawValue)
        let near = Suggestion.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
        let hint = near ?? "there are \(names.joined(separator: ", "))."
        return ErrorResponse(.unknownMethod, .unknownMethod, "There is no method '\(Quotation.shortened(name))': \(hint)")
    }

    /// A parameter is not what the method takes.
    public static func invalid(_ reason: Reason, _ message: String, path: String? = nil) -> ErrorResponse {
        ErrorResponse(.invalidParams, reason, message, path: path)
    }

    /// The server failed; what failed is in its log, not in the answer.
    public static let internalError = ErrorResponse(
        .internalError, .internalError, "The server failed to serve this request. Its log says why.")

    /// The method needs a log-in.
    public static let notLoggedIn = ErrorResponse(.notLoggedIn, .notLoggedIn, "Log in first, by 'login' or 'register'.")

    /// The caller may not do that.
    public static func notPermitted(_ message: String, path: String? = nil) -> ErrorResponse {
        ErrorResponse(.notPermitted, .notPermitted, message, path: path)
    }

    /// Sign-up was switched off.
    public static let signUpOff = ErrorResponse(
        .notPermitted, .signUpOff, "Sign-up is switched off on this server; ask its operator for an account.")

    /// The method is for admins.
    public static let adminsOnly = ErrorResponse(.notPermitted, .notPermitted, "Only an admin may call this method.")

    /// No invitation goes by the code: whether it never did, or is over, used up or taken back, is not told.
    public static let noSuchInvitation = notFound(
        "The invitation does not hold, or not any more; ask for another one.", path: "code")

    /// There is no such object, or the caller may not see it.
    public static func notFound(_ message: String, path: String? = nil) -> ErrorResponse {
        ErrorResponse(.notFound, .noSuchObject, message, path: path)
    }

    /// The session has no subscription of that name.
    public static func noSuchSubscription(_ name: String) -> ErrorResponse {
        ErrorResponse(.notFound, .noSuchSubscription, "There is no subscription named '\(Quotation.shortened(name))'.", path: "name")
    }

    /// The state of things stands against it.
    public static func conflict(_ reason: Reason, _ message: String, path: String? = nil) -> ErrorResponse {
        ErrorResponse(.conflict, reason, message, path: path)
    }

    /// The name of the subscription is in use for another query.
    public static func nameInUse(_ name: String) -> ErrorResponse {
        conflict(
            .nameInUse,
            "The subscription '\(Quotation.shortened(name))' has another query; pass \"update\": true to replace it, or take another name.",
            path: "name")
    }

    /// The connection is logged in as another user.
    public static let otherUser = conflict(
        .otherUser, "This connection is logged in as another user; log out first, or open another connection.")

    /// The user name is taken.
    public static let nameTaken = conflict(.nameTaken, "The name belongs to another account; choose another one.", path: "username")

    /// A limit was exceeded.
    public static func limit(_ name: String, maximum: Int, _ message: String, path: String? = nil) -> ErrorResponse {
        var response = ErrorResponse(.limit, .limit, message, path: path)
        response.limit = name
        response.maximum = maximum
        return response
    }

    /// Too many requests; come back after that many seconds.
    public static func tooManyRequests(retryAfter seconds: Int) -> ErrorResponse {
        var response = ErrorResponse(.tooManyRequests, .tooManyRequests, "Too many requests; try again in \(seconds) s.")
        response.retryAfter = seconds
        return response
    }

    /// The store can't take the write now.
    ///
    /// What exactly failed names files of the server: that is for its log.
    public static let unavailable = ErrorResponse(
        .unavailable, .unavailable,
        "The store can't do this now: its disk is full, or it is out of reach. Nothing was written; try again later. The server's log says more."
    )

    /// Wrong name or password: which of them is not told, nor whether the account is suspended.
    public static let wrongCredentials = ErrorResponse(
        .wrongCredentials, .wrongCredentials, "This name and this password are not those of an account that may log in.")

    /// The nickname is the name of an account with a password, or of one that is suspended.
    public static let wrongNickname = ErrorResponse(
        .wrongCredentials, .wrongCredentials,
        "This nickname is taken: it is the name of an account with a password, or of one that may not log in.")

    /// A JSON Web Token that opens no account; the server's log says why.
    public static let wrongWebToken = ErrorResponse(
        .wrongCredentials, .wrongCredentials, "This token is not that of an account that may log in.")

    /// The old password is not the account's.
    public static let wrongPassword = ErrorResponse(
        .wrongCredentials, .wrongCredentials, "The old password is not that of this account.", path: "old")

    /// The account logs in without a password.
    public static let noPassword = conflict(
        .noPassword, "This account has no password: it logs in by a nickname or through an identity provider.")

    /// The caller has no log-in of that id.
    public static let noSuchSession = notFound("You have no session of that id; 'sessions' lists those that there are.", path: "id")

    /// The provider is unknown or not enabled.
    public static let unknownProvider = ErrorResponse(
        .wrongCredentials, .unknownProvider, "Invalid parameter 'provider'", path: "provider")

    /// The token's time is over.
    public static let tokenExpired = ErrorResponse(.tokenExpired, .tokenExpired, "The token has expired; log in again.")

    /// The token was revoked.
    public static let tokenRevoked = ErrorResponse(
        .tokenExpired, .tokenRevoked, "The token is not valid, or not any more; log in again by name.")
}
