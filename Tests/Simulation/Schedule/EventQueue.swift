/// What is to happen, in the order of its time; what happens at the same time, in the order of who does it: so that the order never depends
/// on anything but the seed.
struct EventQueue<Event> {
    private struct Entry {
        let time: Int64
        let owner: Int
        let number: Int
        let event: Event

        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.owner, left.number) < (right.time, right.owner, right.number)
        }
    }

    private var heap: [Entry] = []
    private var numbers: [Int: Int] = [:]

    var isEmpty: Bool { heap.isEmpty }

    mutating func add(_ event: Event, at time: Int64, owner: Int) {
        numbers[owner, default: 0] += 1
        heap.append(Entry(time: time, owner: owner, number: numbers[owner] ?? 0, event: event))
        var place = heap.count - 1
        while place > 0, heap[place] < heap[(place - 1) / 2] {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    mutating func next() -> (time: Int64, event: Event)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return (first.time, first.event) }
        heap[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count && heap[child] < heap[least] { least = child }
            guard least != place else { return (first.time, first.event) }
            heap.swapAt(place, least)
            place = least
        }
    }
}
