internal import Bytes
internal import Todo
internal import TodoProtocol

/// What a connection begins with.
extension ClientSession {
    /// The upgrade is done.
    mutating func begin(_ workspace: inout ClientWorkspace) -> SessionEvent? {
        guard options.resumes else { return open(&workspace) }
        stage = .restoring
        _ = request(.greeting, &workspace) { RequestEncoder.info(id: $0, into: &$1) }
        guard let token = login?.token else { return open(&workspace) }
        _ = request(.restoring, &workspace) { RequestEncoder.login(id: $0, .token(token), into: &$1) }
        return nil
    }

    /// Logged in again, where it was before: subscribes again and sends what was not answered.
    mutating func open(_ workspace: inout ClientWorkspace) -> SessionEvent {
        stage = .open
        let unanswered = requests.sorted { $0.key < $1.key }
        // By name, so that the same session sends the same bytes every time.
        for name in lists.keys.sorted() {
            guard let list = lists[name], list.request == nil else { continue }
            resubscribe(list, &workspace)
        }
        for (id, request) in unanswered {
            guard let message = request.message else { continue }
            message.withUnsafeBytes { socket.send($0, &workspace.codec, &workspace.output) }
            if !request.isRepeatable { requests[id]?.message = nil }
        }
        return .opened
    }

    private mutating func resubscribe(_ list: List, _ workspace: inout ClientWorkspace) {
        var params = list.params
        params.update = false
        params.since = list.replica.version
        params.epoch = params.since == nil ? nil : epoch
        _ = request(.resubscribe(params.name), isRepeatable: false, &workspace) { RequestEncoder.subscribe(id: $0, params, into: &$1) }
    }

    /// No list can be resumed.
    mutating func forgetVersions() {
        for name in lists.keys { lists[name]?.replica.restart() }
    }
}
