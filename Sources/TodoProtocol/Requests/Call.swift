public import Todo

/// A well-formed call of a method, with everything checked that needs neither session nor store.
public enum Call: Sendable {
    /// What the server is.
    case info
    /// Makes an account and logs in.
    case register(username: String, password: String)
    /// Logs in.
    case login(LoginRequest)
    /// Ends the token, or all tokens of the user.
    case logout(everywhere: Bool)
    /// Exchanges the caller's password.
    case changePassword(old: String, new: String)
    /// Lists where the caller is logged in.
    case sessions
    /// Ends one of the caller's log-ins.
    case endSession(id: String)
    /// Starts a live query.
    case subscribe(SubscribeParams)
    /// Ends a live query.
    case unsubscribe(name: String)
    /// Answers a query once.
    case query(QueryParams)
    /// One transaction.
    case write(WriteParams)
    /// Looks a user up.
    case findUser(UserReference)
    /// A method of invitations.
    case invite(InviteCall)
    /// A method for admins.
    case admin(AdminCall)

    /// The method that is called.
    public var method: Method {
        switch self {
        case .info: .info
        case .register: .register
        case .login: .login
        case .logout: .logout
        case .changePassword: .changePassword
        case .sessions: .sessions
        case .endSession: .endSession
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .query: .query
        case .write: .write
        case .findUser: .findUser
        case .invite(let call): call.method
        case .admin(let call): call.method
        }
    }
}

/// How a caller proves who they are, by provider.
public enum LoginRequest: Sendable, Hashable {
    /// By name and password.
    case password(username: String, password: String)
    /// By a name alone, where the operator allows it.
    case nickname(String)
    /// By a token from an earlier log-in.
    case token(String)
    /// By a JSON Web Token (RFC 7519).
    case jwt(String)
    /// By a provider that this protocol does not know; its other parameters were not looked at.
    case other(provider: String)
}

/// A query as the client wrote it. Two are equal when class, filter, args, sort and limit are the same byte for byte:
/// that is what "the same query" means for a subscription's name.
public struct QueryText: Sendable {
    /// The class whose objects are asked for.
    public var className: ClassName
    /// The predicate's text, `nil` for all that the caller may see.
    public var filter: String?
    /// The values for the places in the predicate.
    public var args: [Argument]
    /// The sort keys, such as `-timestamp` or `name[c]`.
    public var sort: [String]
    /// How many objects at most; at least 1.
    public var limit: Int?

    /// A query for objects of that class.
    public init(_ className: ClassName, filter: String? = nil, args: [Argument] = [], sort: [String] = [], limit: Int? = nil) {
        self.className = className
        self.filter = filter
        self.args = args
        self.sort = sort
        self.limit = limit
    }
}

extension QueryText: Hashable {
    /// Compares everything, texts byte for byte.
    public static func == (one: QueryText, other: QueryText) -> Bool {
        one.className == other.className && one.limit == other.limit && one.args == other.args
            && one.filter.map(Value.string) == other.filter.map(Value.string)
            && Value.strings(one.sort) == Value.strings(other.sort)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(className)
        hasher.combine(filter.map(Value.string))
        hasher.combine(args)
        hasher.combine(Value.strings(sort))
        hasher.combine(limit)
    }
}

/// The parameters of `subscribe`.
public struct SubscribeParams: Sendable, Hashable {
    /// The subscription's name, unique in its session.
    public var name: String
    /// What is subscribed to.
    public var query: QueryText
    /// Whether another query of that name is replaced.
    public var update: Bool
    /// The version that the client's copy reflects.
    public var since: Int64?
    /// The history that `since` belongs to.
    public var epoch: String?

    /// A subscription to that query under that name.
    public init(_ name: String, to query: QueryText, update: Bool = false, since: Int64? = nil, epoch: String? = nil) {
        self.name = name
        self.query = query
        self.update = update
        self.since = since
        self.epoch = epoch
    }
}

/// The parameters of `query`.
public struct QueryParams: Sendable, Hashable {
    /// What is asked for.
    public var query: QueryText
    /// How many objects of the result are left out at its beginning.
    public var offset: Int?

    /// A query, from that offset on.
    public init(_ query: QueryText, offset: Int? = nil) {
        self.query = query
        self.offset = offset
    }
}

/// The parameters of `write`.
public struct WriteParams: Sendable {
    /// The client's own id of the transaction, under which it is applied once.
    public var txn: String?
    /// The changes, in order.
    public var entries: [EntrySpec]

    /// A transaction of those entries.
    public init(txn: String? = nil, entries: [EntrySpec]) {
        self.txn = txn
        self.entries = entries
    }
}
