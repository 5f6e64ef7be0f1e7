import TodoStore

/// Who reads from a snapshot of the store, and who waits for one.
///
/// Users take turns, and none has more than half of the snapshots: whoever asks for a thousand lists waits for them alone.
struct ReadQueue {
    struct Read {
        /// The id of the user for whom it is read.
        let reader: String
        let isWanted: () -> Bool
        let begin: (Result<any Snapshot, JobFault>) -> Void
    }

    private var waiting: [String: [Read]] = [:]
    /// The users for whom somebody waits, whose turn is next first.
    private var turns: [String] = []
    private var underWay: [String: Int] = [:]
    private var countUnderWay = 0

    /// How many wait, those among them that are not wanted any more.
    var waitingCount: Int { waiting.values.reduce(0) { $0 + $1.count } }

    mutating func append(_ read: Read) {
        if waiting[read.reader] == nil { turns.append(read.reader) }
        waiting[read.reader, default: []].append(read)
    }

    /// The next one to begin, which counts as under way from now on.
    mutating func next(atOnce countMax: Int) -> Read? {
        guard countUnderWay < countMax else { return nil }
        let ownMax = max(1, countMax / 2)
        var place = 0
        while place < turns.count {
            let reader = turns[place]
            guard underWay[reader, default: 0] < ownMax else {
                place += 1
                continue
            }
            turns.remove(at: place)
            guard let read = takeFirst(of: reader) else { continue }
            if waiting[reader] != nil { turns.append(reader) }
            underWay[reader, default: 0] += 1
            countUnderWay += 1
            return read
        }
        return nil
    }

    /// One of the user's reads is over.
    mutating func end(of reader: String) {
        countUnderWay -= 1
        let left = underWay[reader, default: 1] - 1
        underWay[reader] = left == 0 ? nil : left
    }

    private mutating func takeFirst(of reader: String) -> Read? {
        guard let reads = waiting[reader] else { return nil }
        let first = reads.firstIndex { $0.isWanted() }
        let left = first.map { Array(reads[($0 + 1)...]) } ?? []
        waiting[reader] = left.isEmpty ? nil : left
        return first.map { reads[$0] }
    }
}
