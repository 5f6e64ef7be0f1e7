/// A value of one field without which no object can match a query: where an index files live queries, so that a change finds those that it
/// can touch by the values it sees and leaves all others alone.
public struct Anchor: Sendable, Hashable {
    /// A field whose values anchors name, read as the queries read it.
    public struct Column: Sendable, Hashable {
        /// Whose field it is.
        public enum Holder: Sendable, Hashable {
            /// The object itself.
            case object
            /// The project of the item.
            case project
        }

        /// Whose field it is.
        public let holder: Holder
        /// The field's place in the schema.
        public let place: Int
        let folding: TextFolding

        /// What stands there in the object, or in the project; null where there is none.
        ///
        /// - Parameter bytesMax: the length of the longest text that is looked for: for some that are longer the answer is `nil`, at less cost.
        public func value(in holder: Object?, bytesMax: Int = .max) -> Value? {
            guard let value = holder?.values[place] else { return .null }
            guard case .string(let text) = value else { return value }
            guard !folding.isEmpty else { return text.utf8.count <= bytesMax ? value : nil }
            // Folding the case leaves a third of a text, or more. Without diacritics a text may be any shorter, but not one in ASCII.
            if text.utf8.count / 3 > bytesMax, !folding.contains(.diacritics) || text.isASCII { return nil }
            return .string(String(decoding: folding.fold(text), as: UTF8.self))
        }
    }

    /// The field.
    public let column: Column
    /// What it holds, folded as the column is.
    public let value: Value

    /// The anchor of what the column has in some object.
    public init(column: Column, value: Value) {
        self.column = column
        self.value = value
    }
}

/// Anchors of which every matching object has one at least; none where nothing can match.
struct AnchorSet {
    private(set) var anchors: Set<Anchor> = []
    /// How many objects may share one of them: the first kinds are the most selective ones.
    private(set) var kind = Kind.key

    /// Kinds of values, by how few objects share one.
    enum Kind: Int, Comparable {
        case key, id, text, ofProject, number, few, boolean

        static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    /// A query has at most so many: each is a place where it has to be filed.
    static let countMax = 64

    init() {}

    init(_ values: Set<Value>, _ column: Anchor.Column, of field: Field) {
        for value in values {
            anchors.insert(Anchor(column: column, value: value))
            kind = max(kind, Self.kind(of: value, column, field))
        }
    }

    /// What has an anchor of either.
    func union(_ other: AnchorSet) -> AnchorSet? {
        var both = self
        both.anchors.formUnion(other.anchors)
        both.kind = max(kind, other.kind)
        return both.anchors.count <= Self.countMax ? both : nil
    }

    func isNarrower(than other: AnchorSet) -> Bool {
        (kind.rawValue, anchors.count) < (other.kind.rawValue, other.anchors.count)
    }

    private static func kind(of value: Value, _ column: Anchor.Column, _ field: Field) -> Kind {
        // What is left open is left open in most objects.
        if value.isNull { return .boolean }
        switch field.type {
        case .boolean, .json, .strings: return .boolean
        case .word: return .few
        case .integer: return field.type.smallDomain == nil ? .number : .few
        case .date: return .number
        case .id, .permissionId, .string:
            if column.holder == .project { return .ofProject }
            if field.type.isText { return .text }
            return column.place == 0 ? .key : .id
        }
    }
}

extension String {
    fileprivate var isASCII: Bool { utf8.withContiguousStorageIfAvailable(\.areASCII) ?? utf8.allSatisfy { $0 < 0x80 } }
}

extension FieldType {
    /// All the values that a field of this type can have, where they are few.
    fileprivate var smallDomain: [Value]? {
        switch self {
        case .boolean: [.boolean(false), .boolean(true)]
        case .word(let words): words.map(Value.string)
        case .integer(let range) where range.upperBound.subtractingReportingOverflow(range.lowerBound).partialValue < 8:
            range.map(Value.integer)
        default: nil
        }
    }

    fileprivate var isText: Bool {
        if case .string = self { true } else { false }
    }
}

extension Condition {
    /// What a comparison offers to be anchored by, for passing or for failing.
    typealias Offer = (Subject, ValueTest, _ passes: Bool) -> AnchorSet?

    /// The narrowest anchors of what makes this come out so; `nil` where any object may.
    func anchors(_ holds: Bool = true, _ offer: Offer) -> AnchorSet? {
        switch self {
        case .constant(let value): return value == holds ? nil : AnchorSet()
        case .not(let inner): return inner.anchors(!holds, offer)
        case .test(let subject, let test): return offer(subject, test, holds)
        case .all(let parts): return holds ? Self.narrowest(parts, true, offer) : Self.union(parts, false, offer)
        case .any(let parts): return holds ? Self.union(parts, true, offer) : Self.narrowest(parts, false, offer)
        }
    }

    /// All parts come out so: one that narrows is enough.
    private static func narrowest(_ parts: [Condition], _ holds: Bool, _ offer: Offer) -> AnchorSet? {
        var best: AnchorSet?
        for part in parts {
            guard let found = part.anchors(holds, offer) else { continue }
            if best.map(found.isNarrower) ?? true { best = found }
        }
        return best
    }

    /// One of the parts comes out so: each has to narrow.
    private static func union(_ parts: [Condition], _ holds: Bool, _ offer: Offer) -> AnchorSet? {
        var all = AnchorSet()
        for part in parts {
            guard let found = part.anchors(holds, offer), let both = all.union(found) else { return nil }
            all = both
        }
        return all
    }

    /// The comparisons in it.
    fileprivate func forEachTest(_ body: (Subject, ValueTest) -> Void) {
        switch self {
        case .constant: break
        case .not(let inner): inner.forEachTest(body)
        case .all(let parts), .any(let parts): for part in parts { part.forEachTest(body) }
        case .test(let subject, let test): body(subject, test)
        }
    }
}

extension ValueTest {
    /// The values of which a field has one where the test comes out so; `nil` where these are not to be listed.
    fileprivate func anchors(_ passes: Bool, at place: Int, of className: ClassName, _ holder: Anchor.Column.Holder = .object) -> AnchorSet?
    {
        let field = className.schema.fields[place]
        var column = Anchor.Column(holder: holder, place: place, folding: [])
        if let domain = field.type.smallDomain {
            let all = field.isOptional ? domain + [.null] : domain
            let found = all.filter { self.passes($0) == passes }
            return found.count == all.count ? nil : AnchorSet(Set(found), column, of: field)
        }
        let values: Set<Value>?
        switch (self, passes) {
        case (.never, true): values = []
        case (.isNull, true), (.isNotNull, false): values = [.null]
        case (.equal(let value), true), (.notEqual(let value), false): values = [value]
        case (.among(let constants), true): values = constants
        case (.text(let test), true), (.notText(let test), false):
            column = Anchor.Column(holder: holder, place: place, folding: test.folding)
            values = test.equals
        case (.nullOrText(let test), true):
            column = Anchor.Column(holder: holder, place: place, folding: test.folding)
            values = test.equals?.union([.null])
        default: values = nil
        }
        guard let values, values.count <= AnchorSet.countMax else { return nil }
        return AnchorSet(values, column, of: field)
    }
}

extension TextTest {
    /// The folded texts of which one is what passes; `nil` where others pass too.
    fileprivate var equals: Set<Value>? {
        switch operation {
        case .equal(let constant): [.string(String(decoding: constant, as: UTF8.self))]
        case .among(let constants): Set(constants.map { .string(String(decoding: $0, as: UTF8.self)) })
        default: nil
        }
    }
}

extension Query {
    /// What the objects that match hold, or their projects: each has one of these anchors. `nil` where they may hold anything.
    ///
    /// - Parameter place: a field that is not to be anchored by, as all the objects that are asked about share its value.
    public func anchors(leavingOut place: Int? = nil) -> Set<Anchor>? {
        let found = predicate.condition.anchors { subject, test, passes in
            switch subject {
            case .field(let own):
                // What others are shown of `isAdmin` is not what is stored.
                if own == place || className == .user && own == UserField.isAdmin { return nil }
                return test.anchors(passes, at: own, of: className)
            case .projectField(ProjectField.projectId):
                return place == ItemField.projectId ? nil : test.anchors(passes, at: ItemField.projectId, of: .item)
            case .projectField(let of): return test.anchors(passes, at: of, of: .project, .project)
            case .itemsField: return nil
            }
        }
        return found?.anchors
    }

    /// What the projects of the items that match hold, as anchors of the projects themselves: the change of a project without them, before and
    /// after, changes nothing. `nil` where they may hold anything.
    public var projectAnchors: Set<Anchor>? {
        let found = predicate.condition.anchors { subject, test, passes in
            guard case .projectField(let place) = subject else { return nil }
            return test.anchors(passes, at: place, of: .project)
        }
        return found?.anchors
    }

    /// What the items hold on which it depends whether their project matches: the change of an item without them, before and after, changes
    /// nothing. `nil` where it may depend on any.
    public var itemAnchors: Set<Anchor>? {
        var all: AnchorSet? = AnchorSet()
        predicate.condition.forEachTest { subject, test in
            guard case .itemsField(let quantifier, let place) = subject else { return }
            // Whether all items pass depends on those that don't.
            let found = test.anchors(quantifier != .all, at: place, of: .item)
            all = found.flatMap { all?.union($0) }
        }
        return all?.anchors
    }
}
