internal import Bytes
internal import Todo

extension Call {
    /// Reads the parameters of a method.
    init(_ method: Method, _ params: JSONValue?, _ limits: ProtocolLimits) throws(ErrorResponse) {
        switch method {
        case .info:
            _ = try Parameters(params, of: method, allowed: [])
            self = .info
        case .register: self = try Self.register(params, limits)
        case .login: self = .login(try LoginRequest(params, limits))
        case .logout:
            self = .logout(everywhere: try Parameters(params, of: method, allowed: Names.logout).flag("everywhere"))
        case .changePassword: self = try Self.changePassword(params, limits)
        case .sessions:
            _ = try Parameters(params, of: method, allowed: [])
            self = .sessions
        case .endSession:
            let parameters = try Parameters(params, of: method, allowed: Names.endSession)
            self = .endSession(id: try parameters.required("id") { value throws(ErrorResponse) in try value.identifier() })
        case .subscribe: self = .subscribe(try SubscribeParams(params, limits))
        case .unsubscribe:
            let parameters = try Parameters(params, of: method, allowed: Names.unsubscribe)
            self = .unsubscribe(name: try parameters.requiredText("name", bytes: 1...limits.nameBytes))
        case .query: self = .query(try QueryParams(params, limits))
        case .write: self = .write(try WriteParams(params, limits))
        case .findUser: self = .findUser(try UserReference(params, limits))
        case .inviteCreate, .inviteAccept, .inviteList, .inviteRevoke: self = .invite(try InviteCall(method, params, limits))
        case .adminStats, .adminUsers, .adminSessions, .adminDisconnect, .adminDeleteUser:
            self = .admin(try AdminCall(method, params, limits))
        }
    }

    private static func register(_ params: JSONValue?, _ limits: ProtocolLimits) throws(ErrorResponse) -> Call {
        let parameters = try Parameters(params, of: .register, allowed: Names.register)
        return .register(
            username: try parameters.requiredUserName("username", limits),
            password: try parameters.requiredText("password", bytes: limits.passwordBytesLeast...limits.passwordBytes))
    }

    private static func changePassword(_ params: JSONValue?, _ limits: ProtocolLimits) throws(ErrorResponse) -> Call {
        let parameters = try Parameters(params, of: .changePassword, allowed: Names.changePassword)
        return .changePassword(
            old: try parameters.requiredText("old", bytes: 0...limits.passwordBytes),
            new: try parameters.requiredText("new", bytes: limits.passwordBytesLeast...limits.passwordBytes))
    }
}

/// The parameters that each method takes, in the order in which an error message lists them.
private enum Names {
    static let register: [StaticString] = ["username", "password"]
    static let logout: [StaticString] = ["everywhere"]
    static let changePassword: [StaticString] = ["old", "new"]
    static let endSession: [StaticString] = ["id"]
    static let unsubscribe: [StaticString] = ["name"]
    static let query: [StaticString] = ["class", "filter", "args", "sort", "limit", "offset"]
    static let subscribe: [StaticString] = ["name", "class", "filter", "args", "sort", "limit", "update", "since", "epoch"]
    static let write: [StaticString] = ["txn", "changes"]
    static let passwordLogin: [StaticString] = ["provider", "username", "password"]
    static let nicknameLogin: [StaticString] = ["provider", "nickname"]
    static let tokenLogin: [StaticString] = ["provider", "token"]
}

extension Parameters {
    /// A user's name, of which only the length is bounded here: what names are is one rule, which whoever looks the name up or gives it follows.
    func userName(_ name: StaticString, _ limits: ProtocolLimits) throws(ErrorResponse) -> String? {
        try text(name, bytes: 0...limits.userNameBytes)
    }

    /// A user's name that must be there.
    fileprivate func requiredUserName(_ name: StaticString, _ limits: ProtocolLimits) throws(ErrorResponse) -> String {
        try requiredText(name, bytes: 0...limits.userNameBytes)
    }
}

extension LoginRequest {
    fileprivate init(_ params: JSONValue?, _ limits: ProtocolLimits) throws(ErrorResponse) {
        // Which parameters there are depends on the provider, so that one is looked at first.
        let provider = try Parameters(params, of: .login, allowed: nil).requiredText("provider", bytes: 0...Int.max)
        switch provider {
        case "password":
            let parameters = try Parameters(params, of: .login, allowed: Names.passwordLogin)
            self = .password(
                username: try parameters.requiredUserName("username", limits),
                password: try parameters.requiredText("password", bytes: 0...limits.passwordBytes))
        case "nickname":
            let parameters = try Parameters(params, of: .login, allowed: Names.nicknameLogin)
            self = .nickname(try parameters.requiredUserName("nickname", limits))
        case "token":
            let parameters = try Parameters(params, of: .login, allowed: Names.tokenLogin)
            self = .token(try parameters.requiredText("token", bytes: 0...limits.tokenBytes))
        case "jwt":
            let parameters = try Parameters(params, of: .login, allowed: Names.tokenLogin)
            self = .jwt(try parameters.requiredText("token", bytes: 0...limits.tokenBytes))
        default: self = .other(provider: provider)
        }
    }
}

extension SubscribeParams {
    fileprivate init(_ params: JSONValue?, _ limits: ProtocolLimits) throws(ErrorResponse) {
        let parameters = try Parameters(params, of: .subscribe, allowed: Names.subscribe)
        self.init(
            try parameters.requiredText("name", bytes: 1...limits.nameBytes),
            to: try QueryText(parameters, limits),
            update: try parameters.flag("update"),
            since: try parameters.integer("since", in: Int64.min...Int64.max),
            epoch: try parameters.text("epoch", bytes: 0...Int.max))
    }
}

extension QueryParams {
    fileprivate init(_ params: JSONValue?, _ limits: ProtocolLimits) throws(ErrorResponse) {
        let parameters = try Parameters(params, of: .query, allowed: Names.query)
        self.init(try QueryText(parameters, limits), offset: try parameters.integer("offset", in: 0...Int64.max).map(Int.init))
    }
}

extension QueryText {
    fileprivate init(_ parameters: Parameters, _ limits: ProtocolLimits) throws(ErrorResponse) {
        let className = try parameters.required("class") { value throws(ErrorResponse) in try value.className() }
        let filter = try parameters.text("filter", bytes: 0...Int.max)
        let args = try parameters.arguments(limits)
        let sort = try parameters.array("sort") { value throws(ErrorResponse) in try value.text(bytes: 0...Int.max) }
        let limit = try parameters.integer("limit", in: 1...Int64.max).map(Int.init)
        self.init(className, filter: filter, args: args, sort: sort, limit: limit)
    }
}

extension Parameters {
    /// The `args` of a predicate: single values and arrays of them.
    func arguments(_ limits: ProtocolLimits) throws(ErrorResponse) -> [Argument] {
        var count = 0
        let args = try array("args") { value throws(ErrorResponse) in
            guard let elements = value.elements else {
                count += 1
                return Argument.value(try value.scalar())
            }
            count += elements.count
            return .array(try value.array { element throws(ErrorResponse) in try element.scalar() })
        }
        guard count <= limits.argumentValues else {
            throw .limit(
                "argumentValues", maximum: limits.argumentValues,
                "A query takes at most \(limits.argumentValues) values in its arguments, not \(count).", path: "args")
        }
        return args
    }
}

extension WriteParams {
    fileprivate init(_ params: JSONValue?, _ limits: ProtocolLimits) throws(ErrorResponse) {
        let parameters = try Parameters(params, of: .write, allowed: Names.write)
        let txn = try parameters.optional("txn") { value throws(ErrorResponse) in try value.identifier() }
        let entries = try parameters.required("changes") { value throws(ErrorResponse) in
            if let count = value.elements?.count, count > limits.changes {
                throw ErrorResponse.limit(
                    "changes", maximum: limits.changes, "A transaction holds at most \(limits.changes) changes, not \(count).")
            }
            return try value.array { change throws(ErrorResponse) in try EntrySpec(change, limits) }
        }
        try EntrySpec.requireOneKind(entries)
        self.init(txn: txn, entries: entries)
    }
}
