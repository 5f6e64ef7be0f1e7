import Bytes
import Todo
import TodoProtocol
import TodoStore

/// What happened to a list after a version that clients have: worked out once, and encoded once, for all who have that version.
final class CatchUp {
    let diff: ListDiff
    /// The users who wrote what it tells; `nil` where it tells that sight of the list came or went, which is each subscriber's own.
    let by: [String]?
    private var fragments: [String: SharedBytes] = [:]
    private var answers: [String: SharedBytes] = [:]

    init(_ diff: ListDiff, by: [String]?) {
        self.diff = diff
        self.by = by
    }

    /// The update of a list of that name, for a `change` with others.
    func fragment(_ name: String, _ encode: () -> SharedBytes) -> SharedBytes {
        Self.value(&fragments, name, encode)
    }

    /// The whole `change` that answers `since`.
    func answer(_ name: String, _ encode: () -> SharedBytes) -> SharedBytes {
        Self.value(&answers, name, encode)
    }

    private static func value(_ texts: inout [String: SharedBytes], _ name: String, _ encode: () -> SharedBytes) -> SharedBytes {
        if let known = texts[name] { return known }
        let text = encode()
        texts[name] = text
        return text
    }
}

/// What a list's rows were at an older version, and which changes since concern them.
struct PastRows {
    private(set) var journal = Journal()
    private var causes: [String: [Int]] = [:]
    private var keysThen: Set<String> = []

    /// Notes what a row was then, `nil` where it was not in the list, and the changes that made it another.
    mutating func note(_ key: String, old: Object?, causes numbers: [Int]) {
        journal.record(key: key, old: old)
        if old != nil { keysThen.insert(key) }
        note(key, causes: numbers)
    }

    /// Notes further changes that concern a row.
    mutating func note(_ key: String, causes numbers: [Int]) {
        causes[key, default: []] += numbers
    }

    /// The changes that concern rows which were in the list then, or are now.
    func causes(in live: LiveList) -> [Int] {
        causes.lazy.filter { keysThen.contains($0.key) || live.object(forKey: $0.key) != nil }.flatMap(\.value).sorted()
    }
}

/// What was worked out for sessions that resume or were behind, kept as long as the store stays at one version.
struct CatchUps {
    /// Changes since a version, with the state before them.
    final class Span {
        let batch: ChangeBatch
        let past: PastReader

        init(_ batch: ChangeBatch, _ present: any ObjectReader) {
            self.batch = batch
            past = PastReader(present, before: batch.changes)
        }
    }

    struct Place: Hashable {
        let list: ListKey
        let since: Int64
    }

    struct Seen: Hashable {
        let place: Place
        let wasSighted: Bool
        let isSighted: Bool
    }

    private(set) var version: Int64 = 0
    /// `nil` where the log does not tell.
    var spans: [Int64: Span?] = [:]
    /// `nil` where finding them out costs more than a whole list.
    var rows: [Place: PastRows?] = [:]
    var known: [Seen: CatchUp] = [:]

    /// Forgets what was worked out for another version.
    mutating func enter(_ version: Int64) {
        guard self.version != version else { return }
        self = CatchUps()
        self.version = version
    }
}
