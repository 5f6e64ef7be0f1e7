import Todo

/// A number that occurs in one text alone: an id, a name, a body. On the wire it reads `ZQXJKQ` and the number.
typealias Token = Int

/// A naive model of the rights, and of what each user may have seen: every state of every project while the user saw it.
struct LeakModel {
    struct Project {
        var name: Token
        var access: Access
        var creator: Int
        var roles: [Int: Role]
        var items: Set<Token> = []
        /// Users whose writes or presences were told in the project.
        var met: Set<Int> = []
    }

    struct Item {
        var body: Token
        var project: Token
        var creator: Int
        var assignee: Int?
        /// Whoever sees a row may learn who wrote it, also who did before: what they wrote is in the row.
        var writers: Set<Int> = []
    }

    struct Presence {
        var state: Token
        var project: Token
        var user: Int
    }

    /// The last user is an admin.
    let userCount: Int
    private(set) var tokenCount: Int
    var projects: [Token: Project] = [:]
    var items: [Token: Item] = [:]
    var presences: [Token: Presence] = [:]
    /// By user, which tokens that user may have been told.
    private(set) var seen: [[Bool]]

    init(userCount: Int) {
        self.userCount = userCount
        // The users' ids and names are the first tokens.
        tokenCount = 2 * userCount
        seen = Array(repeating: [], count: userCount)
        for user in 0..<userCount {
            mark(id(of: user), user)
            mark(name(of: user), user)
        }
    }

    static func text(_ token: Token) -> String { "ZQXJKQ\(token)" }

    func id(of user: Int) -> Token { user }
    func name(of user: Int) -> Token { userCount + user }

    mutating func fresh() -> Token {
        tokenCount += 1
        return tokenCount - 1
    }

    // MARK: Rights

    func isAdmin(_ user: Int) -> Bool { user == userCount - 1 }

    func role(_ user: Int, _ project: Token) -> Role? {
        guard let project = projects[project] else { return nil }
        if isAdmin(user) { return .owner }
        let roles = [project.access.role, project.roles[user]].compactMap { $0 }
        return roles.max()
    }

    func sees(_ user: Int, _ project: Token) -> Bool { role(user, project) != nil }

    /// The error of an attempt that needs that role in the project, 0 where it may be done.
    func refusal(_ user: Int, _ project: Token, needing needed: Role) -> Int {
        guard let held = role(user, project) else { return -32003 }
        return held >= needed ? 0 : -32002
    }

    func isLastOwner(_ user: Int, _ project: Token) -> Bool {
        projects[project]?.roles.filter { $0.value == .owner }.keys.elementsEqual([user]) == true
    }

    // MARK: What was seen

    func maySee(_ user: Int, _ token: Token) -> Bool {
        isAdmin(user) || (token < seen[user].count && seen[user][token])
    }

    mutating func mark(_ token: Token, _ user: Int) {
        if seen[user].count <= token { seen[user] += Array(repeating: false, count: token + 1024 - seen[user].count) }
        seen[user][token] = true
    }

    /// What a transaction of that user left in the project is seen by all who see the project then; who saw it before
    /// may learn of the writer alone.
    mutating func settle(_ project: Token, by writer: Int, seenBefore: [Int]) {
        for user in seenBefore { mark(id(of: writer), user) }
        guard projects[project] != nil else { return }
        projects[project]?.met.insert(writer)
        for user in 0..<userCount where sees(user, project) { show(project, to: user) }
        for user in 0..<userCount where sees(user, project) { mark(id(of: writer), user) }
    }

    func viewers(_ project: Token) -> [Int] { (0..<userCount).filter { sees($0, project) } }

    private mutating func show(_ key: Token, to user: Int) {
        guard let project = projects[key] else { return }
        mark(key, user)
        mark(project.name, user)
        for writer in project.met { mark(id(of: writer), user) }
        for member in project.roles.keys {
            mark(id(of: member), user)
            mark(name(of: member), user)
        }
        for itemKey in project.items {
            guard let item = items[itemKey] else { continue }
            mark(itemKey, user)
            mark(item.body, user)
            mark(id(of: item.creator), user)
            if let assignee = item.assignee { mark(id(of: assignee), user) }
            for writer in item.writers { mark(id(of: writer), user) }
        }
        for (presenceKey, presence) in presences where presence.project == key {
            mark(presenceKey, user)
            mark(presence.state, user)
            mark(id(of: presence.user), user)
        }
    }

    /// Whether the user has met the other one in a project that it sees now.
    func hasMet(_ user: Int, _ other: Int) -> Bool {
        user == other || isAdmin(user)
            || projects.contains { key, project in
                sees(user, key)
                    && (project.met.contains(other) || project.roles[other] != nil
                        || project.items.contains { items[$0]?.creator == other || items[$0]?.assignee == other })
            }
    }

    /// Presences go with the sight and the project, once a commit is told.
    mutating func dropPresences() {
        presences = presences.filter { sees($0.value.user, $0.value.project) }
    }

    func visibleItems(_ user: Int) -> Int { projects.reduce(0) { sees(user, $1.key) ? $0 + $1.value.items.count : $0 } }
}
