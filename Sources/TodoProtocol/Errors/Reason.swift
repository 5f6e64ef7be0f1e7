/// The words that `error.data.reason` can be: stable, for programs. The protocol page lists them.
public enum Reason: String, CaseIterable, Sendable {
    // The message.

    /// The message is not JSON as the protocol takes it; `data.position` counts bytes of the message.
    case parse
    /// The JSON is not a JSON-RPC 2.0 request.
    case invalidRequest
    /// A batch without requests.
    case emptyBatch
    /// There is no method of that name.
    case unknownMethod
    /// The server failed.
    case internalError

    // Parameters and values.

    /// Parameters came as an array; every method takes them by name.
    case positionalParameters
    /// A parameter or a member of a change that the method does not know or take there.
    case unknownParameter
    /// Something that is needed was not given.
    case missing
    /// A value of another kind than the one that is taken.
    case wrongType
    /// A number outside its range.
    case outOfRange
    /// A string or array with more than it may have.
    case tooLong
    /// A string with less than it must have.
    case tooShort
    /// A text that can't be an id.
    case invalidId
    /// A text that is no RFC 3339 date, or names a day that does not exist.
    case invalidDate
    /// A string that holds the character NUL.
    case nul
    /// A text that is none of the words which are taken there.
    case unknownWord
    /// There is no class of that name.
    case unknownClass
    /// The class has no field of that name.
    case unknownField
    /// The server alone gives the field, or the objects of the class, their values.
    case keptByServer
    /// The field has its value from the object's creation on.
    case immutable
    /// A change must have exactly one of the verbs `create`, `update`, `upsert`, `delete` and `move`.
    case oneVerb
    /// Of several members exactly one must be given: `id` or `filter`; `before`, `after` or `to`.
    case oneOf
    /// The assignee does not see the project.
    case assigneeWithoutSight
    /// A presence beside something else in one transaction.
    case presenceAlone

    // Predicates; `unknownField`, `wrongType` and `outOfRange` are theirs too.

    /// The predicate breaks the grammar at `data.position`; `data.expected` says what should stand there.
    case filterSyntax
    /// The predicate names a place for which `args` has no value.
    case missingArgument

    // Log-in.

    /// The connection has not logged in.
    case notLoggedIn
    /// Wrong name, password or token.
    case wrongCredentials
    /// The log-in provider is unknown or not enabled.
    case unknownProvider
    /// The operator turned sign-up off.
    case signUpOff
    /// The connection is logged in as somebody else.
    case otherUser
    /// The name belongs to another account.
    case nameTaken
    /// The account has no password that could be changed.
    case noPassword
    /// The token's time is over.
    case tokenExpired
    /// The token was revoked.
    case tokenRevoked

    // Objects and rights.

    /// There is no such object, or the caller may not see it.
    case noSuchObject
    /// The session has no subscription of that name.
    case noSuchSubscription
    /// The caller's role in the project allows less.
    case roleTooLow
    /// The caller may not do that.
    case notPermitted
    /// The id exists already.
    case idExists
    /// A field has not the value that `if` asks for.
    case conditionFailed
    /// The last owner of a project can be neither deleted nor demoted.
    case lastOwner
    /// The user is the only owner of projects, and nothing was said of what becomes of them.
    case ownsProjects
    /// The other item is in another project.
    case otherProject
    /// The name is in use for another query; `"update": true` replaces it.
    case nameInUse

    // The server's state.

    /// A limit was exceeded: `data.limit` names it, `data.maximum` gives it.
    case limit
    /// A `filter` form would touch more objects than one transaction may.
    case tooManyObjects
    /// Too many requests: `data.retryAfter` gives the seconds to wait.
    case tooManyRequests
    /// The store can't take the write now.
    case unavailable
}
