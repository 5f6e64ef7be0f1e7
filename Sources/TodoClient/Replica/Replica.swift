public import Todo
public import TodoProtocol

/// A client's copy of one live list, kept from `initial` parts and `change` messages alone.
///
/// What would lead outside the list is refused always; `isStrict` also holds every message against the rules of the protocol
/// that a correct server keeps, which costs a look at each row that a message touches.
public struct Replica: Sendable {
    /// The class of the rows.
    public let className: ClassName
    /// The rows, in order.
    public internal(set) var rows: [Object] = []
    /// Whether `rows` is the whole list; while it is not, parts arrive.
    public internal(set) var isComplete = false
    /// The version that the list reflects; `nil` before it has been complete for the first time.
    public internal(set) var version: Int64?
    /// Whether the protocol's rules are checked too.
    public let isStrict: Bool
    /// The keys of the rows, kept in strict mode to find one that comes twice.
    var keys: Set<String> = []

    /// An empty list of which nothing has arrived.
    public init(of className: ClassName, isStrict: Bool) {
        self.className = className
        self.isStrict = isStrict
    }

    /// Takes a part of a first list. The part at index 0 starts from an empty list.
    ///
    /// - Throws: where parts are missing, or come after the last.
    public mutating func apply(_ part: InitialPart) throws(ReplicaFault) {
        if part.index == 0 {
            rows.removeAll(keepingCapacity: true)
            keys.removeAll(keepingCapacity: true)
            isComplete = false
        }
        guard !isComplete else { throw ReplicaFault("a part at index \(part.index) came for a list that was complete") }
        guard part.index == rows.count else {
            throw ReplicaFault("a part begins at index \(part.index) where \(rows.count) rows have arrived")
        }
        if isStrict { try check(part) }
        rows.append(contentsOf: part.objects)
        guard part.isComplete else { return }
        isComplete = true
        version = part.version
    }

    /// Brings the list to `version`.
    ///
    /// - Returns: the rows that moved, as places before and after.
    /// - Throws: where the update can't be of this list. The list is to be given up then.
    public mutating func apply(_ update: ListUpdate, version: Int64) throws(ReplicaFault) {
        if !isComplete {
            // A list that was complete on the connection before this one goes on from there.
            guard update.isComplete, self.version != nil else { throw ReplicaFault("a change came before the list was complete") }
        }
        if let before = self.version, version < before { throw ReplicaFault("the version fell from \(before) to \(version)") }
        try checkPlaces(update)
        if isStrict {
            try applyChecking(update)
        } else {
            try move(update)
            try modify(update)
        }
        isComplete = true
        self.version = version
    }

    /// The connection is lost: the list stays as it is and will be resumed, or sent anew.
    package mutating func suspend() {
        if !isComplete { version = nil }
        isComplete = false
    }

    /// The list is sent anew: what it was can't be gone on from. The rows stay until the first part comes.
    package mutating func restart() {
        version = nil
        isComplete = false
    }
}
