internal import Bytes
public import Todo

extension EntrySpec {
    /// Presences are written apart: they take no version and no part in what is durable.
    static func requireOneKind(_ entries: [EntrySpec]) throws(ErrorResponse) {
        guard let first = entries.first else { return }
        for (index, entry) in entries.enumerated() where entry.className.isVolatile != first.className.isVolatile {
            throw .invalid(
                .presenceAlone, "Presences are written in a transaction of their own: send the other changes in another one.",
                path: "[\(index)]"
            ).under("changes")
        }
    }

    /// The class of the objects that the entry touches.
    public var className: ClassName {
        switch self {
        case .create(let className, _), .update(let className, _, _, _), .upsert(let className, _), .delete(let className, _, _),
            .updateMatching(let className, _, _, _), .deleteMatching(let className, _, _):
            className
        case .grant: .permission
        case .move: .item
        }
    }

    /// A permission whose user is named by `userName`; `nil` where it is not.
    static func grant(_ change: Parameters, isUpsert: Bool, _ limits: ProtocolLimits) throws(ErrorResponse) -> EntrySpec? {
        let name = try change.required("object") { object throws(ErrorResponse) -> String? in
            let members = Parameters(change: object)
            if object["userName"]?.isNull == true {
                throw .invalid(
                    .wrongType, "userName takes a user's name, not null; leave it out where 'userId' says who it is.", path: "userName")
            }
            guard let name = try members.userName("userName", limits) else { return nil }
            if members.has("userId") { throw members.oneOf("userId", "userName") }
            return name
        }
        guard let name else { return nil }
        let values = try change.fieldValues("object", of: .permission, as: .object, besides: "userName")
        let needed = [PermissionField.projectId] + (isUpsert ? [] : [PermissionField.role])
        for place in needed where !values.contains(where: { $0.place == place }) {
            let field = ClassName.permission.schema.fields[place].name
            throw .invalid(.missing, "A new Permission needs '\(field)'.", path: "object.\(field)")
        }
        return .grant(userName: name, values: values, isUpsert: isUpsert)
    }
}
