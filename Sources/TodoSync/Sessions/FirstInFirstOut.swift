/// A first-in first-out queue that costs nothing while empty.
struct FirstInFirstOut<Element> {
    private var items: [Element] = []
    private var head = 0

    var count: Int { items.count - head }
    var first: Element? { head < items.count ? items[head] : nil }

    mutating func append(_ element: Element) { items.append(element) }

    mutating func popFirst() -> Element? {
        guard let first else { return nil }
        head += 1
        if head == items.count {
            items.removeAll(keepingCapacity: false)
            head = 0
        } else if head >= 1024 {
            items.removeFirst(head)
            head = 0
        }
        return first
    }

    mutating func removeAll() {
        items = []
        head = 0
    }

    /// Puts what was taken last in front again.
    mutating func putBack(_ element: Element) {
        if head > 0 {
            head -= 1
            items[head] = element
        } else {
            items.insert(element, at: 0)
        }
    }
}
