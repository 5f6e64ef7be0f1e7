import TodoClient

/// One session of the load, or the keeper that makes and removes the projects.
struct Member: ~Copyable {
    /// What a request was for.
    enum Purpose {
        case login
        case subscribe
        case preparation
        case write(project: Int, intended: Int64)
        case standing
        case tasksQuery
        case projectQuery
        case removal
    }

    enum Stage {
        case connecting
        case loggingIn
        case subscribing
        case ready
        case leaving
    }

    /// Its number among the sessions; the keeper comes after the last.
    let index: Int
    var session: ClientSession
    var stage = Stage.connecting
    /// Requests that are not answered, by their id.
    var purposes: [Int64: Purpose] = [:]
    /// Lists that are not complete yet.
    var listsPending = 0
    /// The version at which all its lists stand, as the server said last.
    var standing: Int64?

    init(index: Int, session: consuming ClientSession) {
        self.index = index
        self.session = session
    }
}
