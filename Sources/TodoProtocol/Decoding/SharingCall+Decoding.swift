internal import Bytes
internal import Todo

extension Parameters {
    /// An id that must be there.
    fileprivate func requiredId(_ name: StaticString) throws(ErrorResponse) -> String {
        try required(name) { value throws(ErrorResponse) in try value.identifier() }
    }

    /// An id, where it is there.
    fileprivate func id(_ name: StaticString) throws(ErrorResponse) -> String? {
        try optional(name) { value throws(ErrorResponse) in try value.identifier() }
    }

    /// The error for members of which exactly one must be there.
    func oneOf(_ first: StaticString, _ second: StaticString) -> ErrorResponse {
        has(first)
            ? .invalid(.oneOf, "Either '\(first)' or '\(second)' is taken here, not both.", path: "\(second)")
            : .invalid(.missing, "Either '\(first)' or '\(second)' is needed here.", path: "\(first)")
    }
}

extension UserReference {
    init(_ params: JSONValue?, _ limits: ProtocolLimits) throws(ErrorResponse) {
        let parameters = try Parameters(params, of: .findUser, allowed: ["name", "userId"])
        switch (try parameters.userName("name", limits), try parameters.id("userId")) {
        case (let name?, nil): self = .name(name)
        case (nil, let userId?): self = .userId(userId)
        default: throw parameters.oneOf("name", "userId")
        }
    }
}

extension InviteCall {
    init(_ method: Method, _ params: JSONValue?, _ limits: ProtocolLimits) throws(ErrorResponse) {
        switch method {
        case .inviteAccept:
            let parameters = try Parameters(params, of: method, allowed: ["code"])
            self = .accept(code: try parameters.requiredText("code", bytes: 1...limits.inviteCodeBytes))
        case .inviteList:
            self = .list(projectId: try Parameters(params, of: method, allowed: ["projectId"]).requiredId("projectId"))
        case .inviteRevoke:
            self = .revoke(inviteId: try Parameters(params, of: method, allowed: ["inviteId"]).requiredId("inviteId"))
        default:
            self = .create(try InviteParams(params, limits))
        }
    }
}

extension InviteParams {
    fileprivate init(_ params: JSONValue?, _ limits: ProtocolLimits) throws(ErrorResponse) {
        let parameters = try Parameters(params, of: .inviteCreate, allowed: ["projectId", "role", "expiresAt", "seconds", "uses"])
        let role = try parameters.required("role") { value throws(ErrorResponse) in
            guard let role = Role(name: try value.text(bytes: 0...Int.max)) else {
                throw ErrorResponse.invalid(.unknownWord, "role takes one of 'viewer', 'editor', 'owner'.")
            }
            return role
        }
        self.init(
            projectId: try parameters.requiredId("projectId"), role: role, life: try InviteLife(parameters),
            uses: Int(try parameters.integer("uses", in: 1...Int64(limits.inviteUses)) ?? 1))
    }
}

extension InviteLife {
    fileprivate init(_ parameters: Parameters) throws(ErrorResponse) {
        let moment = try parameters.optional("expiresAt") { value throws(ErrorResponse) in
            let text = try value.text(bytes: 0...Int.max)
            guard let moment = Timestamp(rfc3339: text) else {
                throw ErrorResponse.invalid(.invalidDate, "expiresAt takes \(FieldType.date.expectation).")
            }
            return moment
        }
        switch (moment, try parameters.integer("seconds", in: 1...Int64(Int32.max))) {
        case (nil, nil): self = .standard
        case (let moment?, nil): self = .until(moment)
        case (nil, let seconds?): self = .seconds(seconds)
        default: throw parameters.oneOf("expiresAt", "seconds")
        }
    }
}

extension AdminCall {
    init(_ method: Method, _ params: JSONValue?, _ limits: ProtocolLimits) throws(ErrorResponse) {
        switch method {
        case .adminUsers:
            let parameters = try Parameters(params, of: method, allowed: ["offset", "limit"])
            self = .users(
                offset: Int(try parameters.integer("offset", in: 0...Int64(Int32.max)) ?? 0),
                limit: Int(try parameters.integer("limit", in: 1...1000) ?? 100))
        case .adminSessions:
            self = .sessions(userId: try Parameters(params, of: method, allowed: ["userId"]).id("userId"))
        case .adminDisconnect:
            let parameters = try Parameters(params, of: method, allowed: ["sessionId", "userId"])
            switch (try parameters.id("sessionId"), try parameters.id("userId")) {
            case (let session?, nil): self = .disconnectSession(session)
            case (nil, let user?): self = .disconnectUser(user)
            default: throw parameters.oneOf("sessionId", "userId")
            }
        case .adminDeleteUser:
            let parameters = try Parameters(params, of: method, allowed: ["userId", "handOverTo", "deleteProjects"])
            self = .deleteUser(try parameters.requiredId("userId"), try OwnProjects(parameters))
        default:
            _ = try Parameters(params, of: method, allowed: [])
            self = .stats
        }
    }
}

extension OwnProjects {
    fileprivate init(_ parameters: Parameters) throws(ErrorResponse) {
        switch (try parameters.id("handOverTo"), try parameters.flag("deleteProjects")) {
        case (nil, false): self = .unsettled
        case (nil, true): self = .delete
        case (let heir?, false): self = .handOver(to: heir)
        case (_?, true): throw parameters.oneOf("handOverTo", "deleteProjects")
        }
    }
}
