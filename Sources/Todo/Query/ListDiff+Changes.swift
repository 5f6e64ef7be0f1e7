/// A row of the list as it was and as it becomes; `nil` where it is not in the list.
struct ChangedRow {
    let old: Row?
    let new: Row?
}

extension ListDiff {
    /// What a set of changed rows does to the first `limit` rows of a list.
    ///
    /// The old list is not needed: it is the unchanged rows, which the new list has in the same order, with the old states among
    /// them. A row's place in either list is the number of unchanged rows before it and of changed ones before it, so the cost is
    /// O(k log n) for k changed rows. The limit cuts a prefix of the unchanged rows in each list; counting tells which of them cross it.
    ///
    /// - Parameters:
    ///   - list: the list as it becomes, which holds every `new`.
    ///   - limit: how many rows are seen.
    ///   - changed: the rows that differ between the two lists, each key once.
    init(to list: OrderedList, limit: Int?, changed: [ChangedRow]) {
        let comparison = ListComparison(to: list, limit: limit ?? Int.max, changed: changed)
        for row in comparison.old.rows where row.index < comparison.old.seen {
            let target = comparison.newIndex[row.change]
            if target == nil || comparison.moves[row.change] { deletions.append(row.index) }
        }
        for row in comparison.new.rows where row.index < comparison.new.seen {
            let change = changed[row.change]
            guard let from = comparison.oldIndex[row.change], let old = change.old?.object else {
                insertions.append(Insertion(index: row.index, from: nil, object: row.row.object, old: nil))
                continue
            }
            if comparison.moves[row.change] {
                insertions.append(Insertion(index: row.index, from: from, object: row.row.object, old: old))
            } else {
                modifications.append(Modification(index: row.index, from: from, old: old, new: row.row.object))
            }
        }
        let (before, after) = (comparison.old.unchangedSeen, comparison.new.unchangedSeen)
        if before > after {
            for unchanged in after..<before { deletions.append(comparison.old.index(ofUnchanged: unchanged)) }
            deletions.sort()
        } else if after > before {
            for unchanged in before..<after {
                let index = comparison.new.index(ofUnchanged: unchanged)
                insertions.append(Insertion(index: index, from: nil, object: list[index].object, old: nil))
            }
            insertions.sort { $0.index < $1.index }
        }
    }
}

/// The changed rows in their places in both lists, and which of them have to move.
private struct ListComparison {
    let old: Side
    let new: Side
    /// For each change: its row's place among the rows that are seen.
    private(set) var oldIndex: [Int?]
    private(set) var newIndex: [Int?]
    /// For each change: whether its row is seen in both lists and can't stay.
    private(set) var moves: [Bool]

    init(to list: OrderedList, limit: Int, changed: [ChangedRow]) {
        let order = list.order
        var olds: [PlacedRow] = []
        var news: [PlacedRow] = []
        for (change, row) in changed.enumerated() {
            if let old = row.old { olds.append(PlacedRow(row: old, change: change)) }
            if let new = row.new { news.append(PlacedRow(row: new, change: change)) }
        }
        olds.sort { order.compare($0.row, $1.row) < 0 }
        news.sort { order.compare($0.row, $1.row) < 0 }
        for place in news.indices { news[place].put(at: list.rank(of: news[place].row), changedBefore: place) }
        var newsBefore = 0
        for place in olds.indices {
            let row = olds[place].row
            while newsBefore < news.count, order.compare(news[newsBefore].row, row) < 0 { newsBefore += 1 }
            olds[place].put(at: list.rank(of: row) - newsBefore + place, changedBefore: place)
        }
        let unchanged = list.count - news.count
        old = Side(olds, unchanged: unchanged, limit: limit)
        new = Side(news, unchanged: unchanged, limit: limit)
        oldIndex = old.seenIndices(of: changed.count)
        newIndex = new.seenIndices(of: changed.count)
        moves = [Bool](repeating: false, count: changed.count)
        findMoves(changed, order)
    }

    /// A row with unchanged sort keys stays. Another one can stay where as many staying rows are before it as were, and
    /// of those that can, the most that keep their order do.
    private mutating func findMoves(_ changed: [ChangedRow], _ order: SortOrder) {
        var stays = [Bool](repeating: false, count: changed.count)
        var hasCandidates = false
        for (change, row) in changed.enumerated() where oldIndex[change] != nil && newIndex[change] != nil {
            guard let old = row.old, let new = row.new else { continue }
            stays[change] = order.compareKeys(old, new) == 0
            moves[change] = !stays[change]
            hasCandidates = hasCandidates || moves[change]
        }
        guard hasCandidates else { return }
        let common = min(old.unchangedSeen, new.unchangedSeen)
        let oldGaps = old.stayingBefore(stays, common: common)
        let newGaps = new.stayingBefore(stays, common: common)
        let candidates = old.rows.filter { moves[$0.change] && oldGaps[$0.change] == newGaps[$0.change] }.map(\.change)
        for place in longestIncreasingSubsequence(candidates.map { newIndex[$0] ?? 0 }) { moves[candidates[place]] = false }
    }
}

/// A changed row in one of the lists.
private struct PlacedRow {
    let row: Row
    /// Which change it belongs to.
    let change: Int
    /// Its place in the list, without the limit.
    private(set) var index = 0
    /// How many unchanged rows come before it.
    private(set) var unchangedBefore = 0

    init(row: Row, change: Int) {
        self.row = row
        self.change = change
    }

    mutating func put(at index: Int, changedBefore: Int) {
        self.index = index
        unchangedBefore = index - changedBefore
    }
}

/// One of the two lists: its changed rows in order, and how much of it is seen.
private struct Side {
    let rows: [PlacedRow]
    /// How many rows are seen.
    let seen: Int
    /// How many unchanged rows are seen: so many first ones.
    let unchangedSeen: Int

    init(_ rows: [PlacedRow], unchanged: Int, limit: Int) {
        self.rows = rows
        let seen = min(limit, unchanged + rows.count)
        self.seen = seen
        unchangedSeen = seen - rows.partition { $0.index < seen }
    }

    /// The place of the n-th unchanged row.
    func index(ofUnchanged number: Int) -> Int {
        number + rows.partition { $0.unchangedBefore <= number }
    }

    /// For each change: the place of its row, if it is seen.
    func seenIndices(of changes: Int) -> [Int?] {
        var indices = [Int?](repeating: nil, count: changes)
        for row in rows where row.index < seen { indices[row.change] = row.index }
        return indices
    }

    /// For each change: how many rows before it stay, where the first `common` unchanged rows do.
    func stayingBefore(_ stays: [Bool], common: Int) -> [Int] {
        var counts = [Int](repeating: 0, count: stays.count)
        var changed = 0
        for row in rows {
            counts[row.change] = min(row.unchangedBefore, common) + changed
            if stays[row.change] { changed += 1 }
        }
        return counts
    }
}

extension [PlacedRow] {
    /// How many rows satisfy a condition that holds up to some row and for none behind it.
    fileprivate func partition(_ holds: (PlacedRow) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The places of a longest strictly increasing subsequence, ascending: O(n log n).
func longestIncreasingSubsequence(_ values: [Int]) -> [Int] {
    // For each length: the place of the smallest value that ends a subsequence of that length.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: values.count)
    for place in values.indices {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if values[ends[middle]] < values[place] { low = middle + 1 } else { high = middle }
        }
        if low > 0 { previous[place] = ends[low - 1] }
        if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var places: [Int] = []
    var place = ends.last ?? -1
    while place >= 0 {
        places.append(place)
        place = previous[place]
    }
    return places.reversed()
}
