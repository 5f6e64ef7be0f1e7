/// Who was met in which project: users whose writes or presences were told there. It begins anew with the process, and when it is full.
struct Acquaintances {
    private static let pairsMax = 200_000
    private var projects: [String: Set<String>] = [:]
    private var count = 0

    mutating func note(_ user: String, in projectId: String) {
        guard projects[user, default: []].insert(projectId).inserted else { return }
        count += 1
        guard count > Self.pairsMax else { return }
        projects = [user: [projectId]]
        count = 1
    }

    /// The projects in which that user was met.
    func projects(of user: String) -> Set<String> { projects[user] ?? [] }
}
