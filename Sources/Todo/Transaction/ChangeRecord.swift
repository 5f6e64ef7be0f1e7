/// What one or more transactions did so far: the first state and the last one of each object that it touched.
public struct ChangeRecord {
    private var order: [ObjectID] = []
    private var states: [ObjectID: (before: Object?, after: Object?)] = [:]

    /// A record of nothing.
    public init() {}

    /// Notes that the object went from one state to another.
    public mutating func note(_ className: ClassName, _ key: String, before: Object?, after: Object?) {
        let id = ObjectID(className, key)
        if let known = states[id] {
            states[id] = (known.before, after)
        } else {
            order.append(id)
            states[id] = (before, after)
        }
    }

    /// One change an object, in the order in which each was first touched; what is as it was is left out.
    public var netChanges: [Change] {
        order.compactMap { id in
            guard let state = states[id], state.before != state.after else { return nil }
            return Change(id.className, key: id.key, before: state.before, after: state.after)
        }
    }
}
