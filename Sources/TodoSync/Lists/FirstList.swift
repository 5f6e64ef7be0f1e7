import Bytes
import Todo
import TodoProtocol

/// The rows of a list at one version, on their way to the clients that have to get all of them: read out once for all who begin at that version.
///
/// It lives as long as somebody is being sent its rows.
final class FirstList {
    let rows: [Object]

    init(_ rows: [Object]) {
        self.rows = rows
    }

    /// Where the part that begins there ends: full by its rows or by their bytes, with one row at least.
    func endOfPart(from next: Int, _ limits: SyncLimits) -> Int {
        let last = min(next + limits.partRows, rows.count)
        var end = next
        var bytes = 0
        while end < last, bytes < limits.partBytes {
            bytes += rows[end].approximateBytes
            end += 1
        }
        return end
    }
}

/// Encoded parts of first lists, for the sessions that come to the same part a little later.
///
/// A crowd that subscribes to one list goes through its parts at about the same pace, so it is the newest parts that are asked for again. Past the
/// bound the oldest go; a session that comes to such a part later has it encoded anew.
struct PartCache {
    private struct Key: Hashable {
        let list: ObjectIdentifier
        let name: String
        let start: Int
        /// The version that the last part names.
        let completeAt: Int64?
    }

    /// A part, and the list that keeps the key from being given to another one.
    private struct Part {
        let list: FirstList
        let text: SharedBytes
    }

    private var parts: [Key: Part] = [:]
    private var order: [Key] = []
    private var head = 0
    private(set) var byteCount = 0

    /// The part of that list, encoded now if it is not there.
    mutating func part(
        of list: FirstList, name: String, start: Int, completeAt: Int64?, bytesMax: Int, encode: () -> SharedBytes
    ) -> SharedBytes {
        let key = Key(list: ObjectIdentifier(list), name: name, start: start, completeAt: completeAt)
        if let known = parts[key] { return known.text }
        let text = encode()
        parts[key] = Part(list: list, text: text)
        order.append(key)
        byteCount += text.count
        while byteCount > bytesMax, head < order.count { forgetOldest() }
        return text
    }

    /// Forgets the parts of lists that nobody is being sent any more.
    mutating func forgetUnused(keeping used: Set<ObjectIdentifier>) {
        guard !parts.isEmpty else { return }
        order = order[head...].filter { used.contains($0.list) }
        head = 0
        parts = parts.filter { used.contains($0.key.list) }
        byteCount = parts.values.reduce(0) { $0 + $1.text.count }
    }

    var isEmpty: Bool { parts.isEmpty }

    private mutating func forgetOldest() {
        if let part = parts.removeValue(forKey: order[head]) { byteCount -= part.text.count }
        head += 1
        guard head >= 1024 else { return }
        order.removeFirst(head)
        head = 0
    }
}
