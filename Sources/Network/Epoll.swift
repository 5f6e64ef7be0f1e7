import CLinux
import Glibc

/// The owner of an epoll instance and of the room for the events of one turn.
///
/// Level-triggered: each readable socket is read once a turn, so that one busy peer cannot keep the others waiting, and what is left in the socket comes
/// up again in the next turn. A change of interest is only needed for the rare socket that blocks.
struct Epoll: ~Copyable {
    /// How many events one turn takes.
    static var eventsMax: Int { 1024 }

    private let descriptor: Descriptor
    private let events: UnsafeMutablePointer<epoll_event>
    private var hasPreciseWait = true

    init() throws(SystemError) {
        descriptor = try Descriptor(result: epoll_create1(Int32(EPOLL_CLOEXEC)), of: "epoll_create1", to: "make an event loop")
        events = .allocate(capacity: Self.eventsMax)
    }

    /// Watches `number`; its events carry `tag`.
    func add(_ number: Int32, _ interest: Interest, tag: UInt64) throws(SystemError) {
        var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: tag))
        guard epoll_ctl(descriptor.number, EPOLL_CTL_ADD, number, &event) == 0 else {
            throw SystemError("epoll_ctl", to: "watch a socket")
        }
    }

    /// Watches `number` for something else from here on.
    func change(_ number: Int32, _ interest: Interest, tag: UInt64) {
        var event = epoll_event(events: interest.rawValue, data: epoll_data_t(u64: tag))
        let result = epoll_ctl(descriptor.number, EPOLL_CTL_MOD, number, &event)
        precondition(result == 0, "Only a watched descriptor's interest is changed.")
    }

    /// Stops watching `number`. Closing its last descriptor does the same.
    func remove(_ number: Int32) {
        var event = epoll_event()
        epoll_ctl(descriptor.number, EPOLL_CTL_DEL, number, &event)
    }

    /// Waits for events.
    ///
    /// - Parameter nanoseconds: how long at most; 0 only looks, negative waits for ever.
    /// - Returns: how many events came; `event(at:)` gives them.
    mutating func wait(nanoseconds: Int64) -> Int {
        if hasPreciseWait, nanoseconds > 0 {
            var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            let count = epoll_pwait2(descriptor.number, events, Int32(Self.eventsMax), &time, nil)
            if count >= 0 { return Int(count) }
            if errno != ENOSYS { return 0 }
            // Kernels before 5.11 know milliseconds only.
            hasPreciseWait = false
        }
        let milliseconds = nanoseconds <= 0 ? Int32(clamping: nanoseconds) : Int32(clamping: (nanoseconds + 999_999) / 1_000_000)
        // EINTR is a turn without events.
        return max(0, Int(epoll_wait(descriptor.number, events, Int32(Self.eventsMax), milliseconds)))
    }

    /// The event at `index` of the last wait.
    func event(at index: Int) -> (ready: Interest, tag: UInt64) {
        (Interest(rawValue: events[index].events), events[index].data.u64)
    }

    deinit {
        events.deallocate()
    }
}

/// What a socket is watched for, and what it is ready for.
struct Interest: OptionSet {
    var rawValue: UInt32

    static var readable: Interest { Interest(rawValue: EPOLLIN.rawValue) }
    static var writable: Interest { Interest(rawValue: EPOLLOUT.rawValue) }
    /// Reported without being asked for: both sides have ended.
    static var hungUp: Interest { Interest(rawValue: EPOLLHUP.rawValue) }
    /// Reported without being asked for: the connection is broken.
    static var broken: Interest { Interest(rawValue: EPOLLERR.rawValue) }
}
