import Todo
import TodoProtocol

/// What a list's update may say about moves, judged from the whole list before and after it.
enum MoveRule {
    /// What breaks the rules, `nil` where nothing does: a row whose sort keys are unchanged never moves, of the others as few as possible
    /// do, and a row that was in the list is never sent whole.
    static func fault(in update: ListUpdate, from before: [Object], to after: [Object], _ query: RandomQuery) -> String? {
        let oldPlaces = Dictionary(uniqueKeysWithValues: before.enumerated().map { ($1.key, $0) })
        var moves = 0
        for insertion in update.insertions {
            switch insertion.row {
            case .object(let object):
                guard oldPlaces[object.key] == nil else { return "the row \(object.key) was in the list and is sent whole" }
            case .moved(let from, _):
                moves += 1
                guard query.orderOfKeys(before[from], after[insertion.index]) != 0 else {
                    return "the row \(before[from].key) moves although its sort keys are unchanged"
                }
            }
        }
        guard moves > 0 else { return nil }
        let fewest = fewestMoves(oldPlaces, before, after, query)
        return moves == fewest ? nil : "\(moves) rows move where \(fewest) would do"
    }

    /// The rows in both lists, less the most of them that can keep their order without moving one whose sort keys are unchanged.
    private static func fewestMoves(_ oldPlaces: [String: Int], _ before: [Object], _ after: [Object], _ query: RandomQuery) -> Int {
        let common = after.compactMap { row in
            oldPlaces[row.key].map { (place: $0, isFixed: query.orderOfKeys(before[$0], row) == 0) }
        }
        let free = common.indices.filter { index in
            common.indices.allSatisfy { other in
                !common[other].isFixed || (common[index].place < common[other].place) == (index < other) || index == other
            }
        }
        var longest = [Int](repeating: 1, count: free.count)
        for index in free.indices {
            for earlier in 0..<index where common[free[earlier]].place < common[free[index]].place {
                longest[index] = max(longest[index], longest[earlier] + 1)
            }
        }
        return common.count - (longest.max() ?? 0)
    }
}
