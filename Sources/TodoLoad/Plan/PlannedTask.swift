/// A task as it must be when all its writes are acknowledged.
struct PlannedTask: Equatable {
    var id: String
    /// The one session that changes it: its writes are ordered, so that what becomes of the task is known.
    var owner: Int
    var body: String
    var isDone = false
    var priority: Int64 = 0
}
