import Foundation
import Todo
import TodoStore

/// Objects for tests, with every field named that a test may care for.
enum Sample {
    static let moment = Timestamp(milliseconds: 1_796_000_000_123)

    static func project(_ id: String, owner: String = "u1", name: String = "Home", access: Access = .private) -> Object {
        Object(
            .project,
            [
                .string(id), .string(owner), .string(name), .date(moment), .integer(0), .integer(0), .string(access.rawValue),
                .string(owner),
            ])
    }

    static func item(
        _ id: String, project: String = "p1", body: String = "Buy milk", position: String = "m", notes: String = "",
        attachments: [String] = []
    ) -> Object {
        Object(
            .item,
            [
                .string(id), .string(project), .string(body), .boolean(false), .null, .date(moment), .null, .string(notes), .integer(0),
                .string(position), .string("u1"), .null, .strings(attachments),
            ])
    }

    static func permission(_ project: String, _ user: String, _ role: Role = .editor) -> Object {
        Object(.permission, [.string("\(project):\(user)"), .string(project), .string(user), .string(role.name)])
    }

    static func user(_ id: String, name: String) -> Object {
        Object(.user, [.string(id), .string(name), .boolean(false)])
    }

    static func token(_ number: UInt8, user: String = "u1", expires: Int64 = 1000) -> TokenRecord {
        TokenRecord(
            hash: [UInt8](repeating: number, count: 32), userId: user, createdAt: Timestamp(milliseconds: Int64(number)),
            expiresAt: Timestamp(milliseconds: expires), lastSeenAt: Timestamp(milliseconds: Int64(number)), userAgent: nil)
    }
}

extension Object {
    /// A copy with another value in a field.
    func with(_ field: String, _ value: Value) -> Object {
        var copy = self
        guard let place = className.schema.place(of: field) else { preconditionFailure("no field \(field)") }
        copy[place] = value
        return copy
    }
}

extension Change {
    static func creation(_ object: Object) -> Change { Change(object.className, key: object.key, before: nil, after: object) }
    static func deletion(_ object: Object) -> Change { Change(object.className, key: object.key, before: object, after: nil) }
    static func update(_ old: Object, _ new: Object) -> Change { Change(old.className, key: old.key, before: old, after: new) }
}

extension Store {
    /// Applies the changes and logs them, in a transaction that is open.
    func apply(_ changes: [Change], by: String? = "u1", at: Timestamp = Sample.moment) throws {
        for change in changes {
            switch (change.before, change.after) {
            case (nil, let after?): try insert(after)
            case (let before?, nil): try delete(before)
            case (let before?, let after?): try update(after, from: before)
            case (nil, nil): break
            }
        }
        try append(LogEntry(version: nextVersion, at: at, by: by, changes: changes))
    }

    /// Applies and logs the changes as one committed transaction.
    func write(_ changes: Change..., by: String? = "u1", at: Timestamp = Sample.moment) throws {
        try begin()
        try apply(changes, by: by, at: at)
        try commit()
    }

    /// Runs writes that are not logged as one committed transaction.
    func transaction(_ body: () throws -> Void) throws {
        try begin()
        try body()
        try commit()
    }
}

extension ObjectReader {
    /// The keys of the objects that `forEach` gives, in order of the keys.
    func keys(_ className: ClassName, _ terms: [Term] = []) throws -> [String] {
        var keys: [String] = []
        try forEach(className, where: terms) { object in
            keys.append(object.key)
            return true
        }
        return keys.sorted()
    }
}

/// A folder that is removed when the value goes.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/todosync-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func path(_ name: String) -> String { path + "/" + name }
}
