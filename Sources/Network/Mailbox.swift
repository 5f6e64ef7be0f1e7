import CLinux
import Glibc
import Synchronization

/// Carries values from any number of threads to one: the only type of this package that crosses threads.
///
/// A post takes one lock; the consumer takes everything that waits in one exchange of buffers. The consumer is woken by an `eventfd`, and only
/// if it has said that it is about to sleep: a busy consumer costs its producers no system call. An event loop watches `descriptor` in its epoll;
/// a plain thread calls `wait`.
///
/// Unchecked: the buffer and the flag of sleep are only touched under the lock, the descriptor never changes, and elements are `Sendable`.
public final class Mailbox<Element: Sendable>: @unchecked Sendable {
    private struct Waiting {
        var elements: [Element] = []
        var consumerSleeps = false
    }

    private let waiting = Mutex(Waiting())
    /// Only changed under the lock, read without it.
    private let holdsUrgent = Atomic(false)
    private let wakeUp: Descriptor

    /// An empty mailbox.
    ///
    /// - Throws: where the process has no descriptor left.
    public init() throws(SystemError) {
        wakeUp = try Descriptor(result: eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)), of: "eventfd", to: "make a mailbox")
    }

    /// What becomes readable when the consumer has to wake up.
    @usableFromInline var descriptor: Int32 { wakeUp.number }

    /// Whether something urgent waits: a consumer that is at work on what it took before may stop for it.
    public var isUrgent: Bool { holdsUrgent.load(ordering: .relaxed) }

    /// Adds one element behind all that wait.
    ///
    /// - Parameter isUrgent: whether `isUrgent` says so until the consumer takes it.
    /// - Returns: how many wait now, this one among them: a producer that must not run ahead can tell.
    @discardableResult
    public func post(_ element: Element, isUrgent: Bool = false) -> Int {
        let (count, sleeps) = waiting.withLock { waiting in
            waiting.elements.append(element)
            if isUrgent { holdsUrgent.store(true, ordering: .relaxed) }
            return Self.noteArrival(&waiting)
        }
        if sleeps { wake() }
        return count
    }

    /// Adds a batch behind all that wait, under one lock and in order.
    ///
    /// - Parameter isUrgent: whether one of them is.
    /// - Returns: how many wait now.
    @discardableResult
    public func post(contentsOf batch: [Element], isUrgent: Bool = false) -> Int {
        if batch.isEmpty { return 0 }
        let (count, sleeps) = waiting.withLock { waiting in
            waiting.elements.append(contentsOf: batch)
            if isUrgent { holdsUrgent.store(true, ordering: .relaxed) }
            return Self.noteArrival(&waiting)
        }
        if sleeps { wake() }
        return count
    }

    /// Consumer only. Exchanges `batch`, which must be empty, for all that waits; `batch`'s memory is used again.
    public func takeAll(into batch: inout [Element]) {
        precondition(batch.isEmpty, "What was taken before would be mixed with what is new.")
        waiting.withLock { waiting in
            swap(&waiting.elements, &batch)
            holdsUrgent.store(false, ordering: .relaxed)
            waiting.consumerSleeps = false
        }
    }

    /// Consumer only. Waits until there is something to take.
    ///
    /// - Parameter timeoutMilliseconds: how long at most; negative waits for ever.
    /// - Returns: false if the time passed and nothing came.
    @discardableResult
    public func wait(timeoutMilliseconds: Int) -> Bool {
        let deadline = timeoutMilliseconds < 0 ? Instant.distantFuture : Instant.now().advanced(milliseconds: timeoutMilliseconds)
        while prepareToSleep() {
            var left: Int32 = -1
            if timeoutMilliseconds >= 0 {
                let nanoseconds = deadline.nanoseconds(since: .now())
                if nanoseconds <= 0 { return false }
                left = Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
            }
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&watched, 1, left) > 0 { clearWakeUp() }
        }
        return true
    }

    /// Consumer only. Says that the consumer is about to sleep.
    ///
    /// - Returns: false if something waits already, so that it must not.
    @usableFromInline func prepareToSleep() -> Bool {
        waiting.withLock { waiting in
            waiting.consumerSleeps = waiting.elements.isEmpty
            return waiting.consumerSleeps
        }
    }

    /// Consumer only. Makes `descriptor` unreadable until the next wake-up.
    @usableFromInline func clearWakeUp() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Counts what waits and claims the one wake-up that the consumer is owed.
    private static func noteArrival(_ waiting: inout Waiting) -> (count: Int, sleeps: Bool) {
        let sleeps = waiting.consumerSleeps
        waiting.consumerSleeps = false
        return (waiting.elements.count, sleeps)
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }
}
