internal import Bytes
internal import Todo

/// What the wire needs to know of a class's fields, made once from the schema: reading the schema's own lines on every message
/// would copy them, texts and all.
struct FieldTable: Sendable {
    /// The fields that clients see, each as the key of a member: `"itemId":`.
    let keys: [String]
    /// What an object of the class is made of before a message's fields are put in: defaults, else null, also for what is hidden.
    let initial: [Value]
    /// The fields that clients see and that are never null.
    let neededPlaces: [Int]
    private let names: [ShortText?]

    private init(_ schema: ClassSchema) {
        let shown = schema.fields.prefix(schema.shownCount)
        keys = shown.map { field in
            var writer = JSONWriter()
            writer.key(escaping: field.name)
            return writer.finish().string
        }
        initial = schema.fields.map { $0.initial ?? .null }
        neededPlaces = shown.indices.filter { !schema.fields[$0].isOptional }
        names = shown.map { field in
            var name = field.name
            return name.withUTF8 { ShortText(UnsafeRawBufferPointer($0)) }
        }
    }

    /// The place of the field of that name. Fields mostly come in the order of the schema, so the search begins at `expected`, the
    /// place behind the last one.
    func place(of name: JSONValue, in className: ClassName, expected: inout Int) -> Int? {
        guard let utf8 = name.utf8 else { return nil }
        guard let short = ShortText(utf8) else {
            // No name of today is that long; the schema knows.
            return utf8.count <= Suggestion.lengthMax ? className.schema.place(of: String(decoding: utf8, as: UTF8.self)) : nil
        }
        let place: Int
        if expected < names.count, names[expected] == short {
            place = expected
        } else if let found = names.firstIndex(of: short) {
            place = found
        } else {
            return nil
        }
        expected = place + 1
        return place
    }

    private static let project = FieldTable(Schema.project)
    private static let item = FieldTable(Schema.item)
    private static let permission = FieldTable(Schema.permission)
    private static let user = FieldTable(Schema.user)
    private static let presence = FieldTable(Schema.presence)

    /// The table of a class.
    static subscript(className: ClassName) -> FieldTable {
        switch className {
        case .project: project
        case .item: item
        case .permission: permission
        case .user: user
        case .presence: presence
        }
    }
}

/// A text of at most 16 bytes without NUL, in two words: compared at once.
private struct ShortText: Hashable {
    private let words: SIMD2<UInt64>

    /// `nil` for a longer text, and for one that ends with NUL.
    init?(_ utf8: UnsafeRawBufferPointer) {
        guard utf8.count <= 16, utf8.last != 0 else { return nil }
        var words = SIMD2<UInt64>(0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: utf8) }
        self.words = words
    }
}
