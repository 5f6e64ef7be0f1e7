import Bytes
import Todo
import TodoProtocol

/// The rows of a list at one version, on their way to the clients that have to get all of them: the same for all who begin at that version.
///
/// It lives as long as somebody is being sent its rows.
final class FirstList {
    let rows: ListWindow
    /// Tells first lists apart; never given twice.
    let number: Int
    /// Where the last part begins, as soon as that is known.
    var lastStart: Int?

    init(_ rows: ListWindow, number: Int) {
        self.rows = rows
        self.number = number
    }
}

/// Which part of a first list, under which name.
struct PartKey: Hashable, Sendable {
    let list: Int
    let name: String
    let start: Int
    /// The version that the last part names; `nil` for the others, which are the same whatever version a client began with.
    var completeAt: Int64?
}

/// A part of a first list as it goes out.
struct EncodedPart: Sendable {
    let key: PartKey
    /// Where the next part begins.
    let end: Int
    let message: Outgoing
}

/// Writes parts of first lists, on whatever thread.
struct PartEncoder: Sendable {
    let rowsMax: Int
    let bytesMax: Int

    /// The part that begins there: full by its rows or by their bytes, with one row at least. `version` is named where it is the last one.
    func part(of rows: ListWindow, list: Int, name: String, from start: Int, version: Int64) -> EncodedPart {
        let candidates = rows[start..<start + rowsMax]
        let taken = candidates.prefix(count(candidates))
        let end = start + taken.count
        let completeAt = end == rows.count ? version : nil
        var writer = JSONWriter()
        MessageEncoder.initial(name: name, index: start, objects: taken, completeAt: completeAt, into: &writer)
        return EncodedPart(
            key: PartKey(list: list, name: name, start: start, completeAt: completeAt), end: end,
            message: .text(writer.finish()))
    }

    private func count(_ candidates: [Object]) -> Int {
        var bytes = 0
        for (index, row) in candidates.enumerated() {
            guard bytes < bytesMax else { return index }
            bytes += row.approximateBytes
        }
        return candidates.count
    }
}

/// Encoded parts of first lists, for the sessions that come to the same part a little later.
///
/// A crowd that subscribes to one list goes through its parts at about the same pace, so it is the newest parts that are asked for again. Past the
/// bound the oldest go; a session that comes to such a part later has it encoded anew.
struct PartCache {
    private var parts: [PartKey: EncodedPart] = [:]
    private var order: [PartKey] = []
    private var head = 0
    private(set) var byteCount = 0

    subscript(key: PartKey) -> EncodedPart? { parts[key] }

    mutating func insert(_ part: EncodedPart, bytesMax: Int) {
        guard parts.updateValue(part, forKey: part.key) == nil else { return }
        order.append(part.key)
        byteCount += part.message.byteCount
        while byteCount > bytesMax, head < order.count { forgetOldest() }
    }

    /// Forgets the parts of lists that nobody is being sent any more.
    mutating func forgetUnused(keeping used: Set<Int>) {
        guard !parts.isEmpty else { return }
        order = order[head...].filter { used.contains($0.list) }
        head = 0
        parts = parts.filter { used.contains($0.key.list) }
        byteCount = parts.values.reduce(0) { $0 + $1.message.byteCount }
    }

    var isEmpty: Bool { parts.isEmpty }

    private mutating func forgetOldest() {
        if let part = parts.removeValue(forKey: order[head]) { byteCount -= part.message.byteCount }
        head += 1
        guard head >= 1024 else { return }
        order.removeFirst(head)
        head = 0
    }
}
