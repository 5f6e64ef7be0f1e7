import Foundation
import Todo
import TodoSync

extension Moment {
    /// Both clocks as they stand.
    static func now() -> Moment {
        var wall = timespec()
        var monotonic = timespec()
        clock_gettime(CLOCK_REALTIME, &wall)
        clock_gettime(CLOCK_MONOTONIC, &monotonic)
        return Moment(wall: Timestamp(milliseconds: wall.milliseconds), monotonicMilliseconds: monotonic.milliseconds)
    }
}

extension timespec {
    fileprivate var milliseconds: Int64 { Int64(tv_sec) * 1000 + Int64(tv_nsec) / 1_000_000 }
}
