import Network
import Testing

@Suite struct ConnectionTableTests {
    /// Counts how often values are destroyed.
    private final class Count {
        var value = 0
    }

    private struct Value: ~Copyable {
        var number: Int
        let count: Count

        deinit { count.value += 1 }
    }

    private func drop(_ value: consuming Value) {}

    @Test func `a value is found under its own generation only`() {
        let count = Count()
        var table = ConnectionTable<Value>()
        let first = ConnectionID(slot: 100, generation: 1)
        let second = ConnectionID(slot: 100, generation: 2)
        table.insert(Value(number: 1, count: count), for: first)
        #expect(table.pointer(to: first)?.pointee.number == 1)
        #expect(table.pointer(to: second) == nil)
        guard let removed = table.remove(first) else {
            Issue.record("the value is there")
            return
        }
        let number = removed.number
        #expect(number == 1)
        drop(removed)
        #expect(table.pointer(to: first) == nil)
        table.insert(Value(number: 2, count: count), for: second)
        #expect(table.pointer(to: first) == nil)
        #expect(table.count == 1)
        #expect(count.value == 1)
    }

    @Test func `values stay where they are while the table grows, and go with it`() {
        let count = Count()
        do {
            var table = ConnectionTable<Value>()
            table.insert(Value(number: 0, count: count), for: ConnectionID(slot: 0, generation: 1))
            let place = table.pointer(to: ConnectionID(slot: 0, generation: 1))
            for slot in 1..<1_000 { table.insert(Value(number: slot, count: count), for: ConnectionID(slot: UInt32(slot), generation: 1)) }
            #expect(table.pointer(to: ConnectionID(slot: 0, generation: 1)) == place)
            var identifiers: [ConnectionID] = []
            table.forEachIdentifier { identifiers.append($0) }
            #expect(identifiers.map(\.slot) == Array(0..<1_000))
        }
        #expect(count.value == 1_000)
    }
}
