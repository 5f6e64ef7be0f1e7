/// What one session was sent and its socket has not taken yet, as far as the hub can know: it decides whether further requests run.
///
/// Only every so many bytes the event loop is asked to report, so that counting costs nothing on the way of a message, and a client that
/// reads is never waited for. Changes that others cause are not counted: the loop itself tells when too much of all waits (`fellBehind`).
struct OutboundAccount {
    /// A message of which the loop reports that its socket has taken it.
    private struct Mark {
        /// How many bytes it and those before it have, back to the last mark.
        let bytes: Int
        /// Whether it is a part of a first list: the next one follows it.
        let isPart: Bool
    }

    private var marks: [Mark] = []
    /// The bytes since the last mark.
    private var unmarked = 0
    private var unwritten = 0
    /// Whether more than the bound waits, or has and is not half taken yet: no request of the session runs. One message may be larger.
    private(set) var isOverdrawn = false

    /// Counts a message.
    ///
    /// - Returns: whether the loop has to report when its socket has taken it.
    mutating func send(_ byteCount: Int, isPart: Bool, bytesMax: Int) -> Bool {
        unwritten += byteCount
        unmarked += byteCount
        if unwritten > bytesMax { isOverdrawn = true }
        guard isPart || unmarked >= bytesMax / 2 else { return false }
        marks.append(Mark(bytes: unmarked, isPart: isPart))
        unmarked = 0
        return true
    }

    /// The socket has taken the first message of which that was to be reported.
    ///
    /// - Returns: whether it was a part of a first list.
    mutating func drained(bytesMax: Int) -> Bool {
        guard !marks.isEmpty else { return false }
        let mark = marks.removeFirst()
        if marks.isEmpty { marks = [] }
        unwritten -= mark.bytes
        // What is behind the last mark is less than half, so whoever takes all gets here.
        if unwritten <= bytesMax / 2 { isOverdrawn = false }
        return mark.isPart
    }
}
