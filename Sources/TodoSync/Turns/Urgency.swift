import TodoProtocol

extension Incoming.Body {
    /// Whether it is to end log-ins, its own or others': that goes ahead of what others ask for.
    var endsLogins: Bool {
        switch self {
        case .call(.endSession), .call(.logout), .call(.changePassword): true
        case .call(.admin(.disconnectSession)), .call(.admin(.disconnectUser)), .call(.admin(.deleteUser)): true
        default: false
        }
    }
}

extension Input {
    /// Whether a turn that is under way is to end for it: it ends log-ins, or is what somebody who does so waits for.
    public var isUrgent: Bool {
        switch self {
        case .message(_, .single(let request), _): request.body.endsLogins
        case .message(_, .batch(let requests), _): requests.contains { $0.body.endsLogins }
        case .finished(let finished): finished.isOfPassword
        case .operated: true
        default: false
        }
    }
}
