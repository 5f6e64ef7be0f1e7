/// Counts the objects that a transaction looks at and writes, also of one that is refused in the end, and asks now and then whether it is to give
/// way.
///
/// It is an object, so that whoever started the transaction knows the count whatever was thrown.
public final class WorkMeter {
    /// Objects that were looked at by a filter, or written, so far.
    public private(set) var spent = 0
    private let interval: Int
    private let isUrged: (() -> Bool)?

    /// A meter of nothing yet; `isUrged` is asked once in so many objects, and where it says so the transaction throws `GaveWay`.
    public init(interval: Int = .max, isUrged: (() -> Bool)? = nil) {
        self.interval = interval
        self.isUrged = isUrged
    }

    /// One object more.
    func spend() throws {
        spent += 1
        if let isUrged, spent % interval == 0, isUrged() { throw GaveWay() }
    }
}

/// Something else is urgent: the transaction is to be rolled back, and to run again from its start later.
public struct GaveWay: Error {}
