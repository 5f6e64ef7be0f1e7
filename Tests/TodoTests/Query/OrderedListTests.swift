import TestSupport
import Testing
import Todo

@Suite("Ordered lists")
struct OrderedListTests {
    private func row(_ number: Int, _ order: SortOrder) -> Row {
        Row(item("i\(number)", ["priority": .integer(Int64(number % 3))]), order: order)
    }

    private func keys(_ list: OrderedList, _ range: Range<Int>? = nil) -> [String] {
        var keys: [String] = []
        list.forEach(in: range ?? 0..<list.count) { keys.append($0.object.key) }
        return keys
    }

    @Test("An empty list has no rows, and every row would be its first")
    func empty() throws {
        let order = try SortOrder.parse([], of: .item)
        let list = OrderedList([], order: order)
        #expect(list.count == 0)
        #expect(list.rank(of: row(1, order)) == 0)
        #expect(keys(list).isEmpty)
    }

    @Test("A list made at once is sorted, whatever the size of its chunks", arguments: [1, 2, 3, 4, 7, 256])
    func bulk(chunkMax: Int) throws {
        let order = try SortOrder.parse(["-priority"], of: .item)
        for count in [0, 1, 2, 3, 5, 8, 100] {
            let list = OrderedList((0..<count).map { row($0, order) }, order: order, chunkMax: chunkMax)
            let expected = NaiveOrder(["-priority"], of: .item).window((0..<count).map { row($0, order).object }, limit: nil).map(\.key)
            #expect(keys(list) == expected)
            #expect((0..<count).map { list[$0].object.key } == expected)
        }
    }

    @Test("Random insertions and removals keep order, ranks and places", arguments: [4, 5, 8, 64])
    func random(chunkMax: Int) throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        print("ordered list: seed \(seed), chunks of \(chunkMax)")
        var generator = SplitMix(seed: seed)
        let order = try SortOrder.parse(["priority"], of: .item)
        var list = OrderedList([], order: order, chunkMax: chunkMax)
        var naive: [Row] = []
        for step in 0..<3000 {
            // The list grows, shrinks to nothing, and grows again.
            let grows = Int.random(in: 0..<10, using: &generator) < (step / 500 % 2 == 0 ? 7 : 2)
            if grows {
                let number = Int.random(in: 0..<10_000, using: &generator)
                let new = row(number, order)
                if naive.contains(where: { $0.object == new.object }) { continue }
                let rank = naive.count { order.compare($0.object, new.object) < 0 }
                #expect(list.rank(of: new) == rank)
                list.insert(new)
                naive.insert(new, at: rank)
            } else if let index = naive.indices.randomElement(using: &generator) {
                #expect(list.rank(of: naive[index]) == index)
                #expect(list[index].object == naive[index].object)
                list.remove(naive.remove(at: index))
            }
            try #require(list.count == naive.count)
            if step % 50 == 0 {
                let low = Int.random(in: 0...naive.count, using: &generator)
                let high = Int.random(in: low...naive.count, using: &generator)
                try #require(keys(list, low..<high) == naive[low..<high].map(\.object.key))
                try #require(keys(list) == naive.map(\.object.key))
            }
        }
    }

    @Test("A replaced row keeps its place and has its new values")
    func replace() throws {
        let order = try SortOrder.parse(["priority"], of: .item)
        var list = OrderedList((0..<20).map { row($0, order) }, order: order, chunkMax: 4)
        let place = list.rank(of: row(7, order))
        var changed = row(7, order).object
        changed[2] = .string("changed")
        list.replace(Row(changed, order: order))
        #expect(list[place].object == changed)
        #expect(list.count == 20)
    }
}
