import Bytes
import Foundation
import TestSupport
import Testing
import Todo
import TodoStore
import TodoSync

/// One random history: users write, share, take back, move, come and go; the model says what each attempt must be answered with.
struct LeakRun {
    private(set) var model = LeakModel(userCount: 6)
    private(set) var steps = 0
    private(set) var taken = 0
    let harness: LeakHarness
    private var random: SplitMix
    private var sessions: [LeakSession] = []
    /// What each request must be answered with.
    private var expected: [SessionID: [Int: Int]] = [:]
    private var codes: [(code: String, project: Token, role: Role, maker: Int, uses: Int)] = []

    init(seed: UInt64) throws {
        random = SplitMix(seed: seed)
        harness = try LeakHarness(model)
        for user in 0..<model.userCount {
            for _ in 0..<(user == 0 ? 2 : 1) {
                let session = harness.connect(user, model)
                sessions.append(session)
                try subscribe(session, since: nil)
            }
        }
    }

    mutating func turn() throws {
        switch roll(20) {
        case 0: try fallBehind()
        case 1: try catchUp()
        case 2: try reconnect()
        case 3: try ask()
        case 4: try share()
        default: try writeTogether()
        }
    }

    // MARK: Chance

    private mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    private mutating func pick<Value>(_ values: [Value]) -> Value? { values.isEmpty ? nil : values[roll(values.count)] }

    private mutating func anyProject() -> Token? { pick(model.projects.keys.sorted()) }

    private mutating func anyItem() -> Token? { pick(model.items.keys.sorted()) }

    private mutating func awakeSession() -> LeakSession? { pick(sessions.filter { !$0.isBehind }) }

    private func text(_ token: Token) -> String { LeakModel.text(token) }

    // MARK: Turns

    /// Transactions of several users in one commit group; those of a session run one after the other, in the order of the sessions.
    private mutating func writeTogether() throws {
        var inputs: [Input] = []
        var users: Set<Int> = []
        for session in sessions where !session.isBehind && roll(2) == 0 && users.insert(session.user).inserted {
            for _ in 0..<(1 + roll(8)) { if let input = attempt(session) { inputs.append(input) } }
        }
        harness.process(inputs)
        try check()
    }

    private mutating func fallBehind() throws {
        guard sessions.count(where: \.isBehind) < 2, let session = awakeSession() else { return }
        session.isBehind = true
        harness.process([.fellBehind(session.id)])
        try check()
    }

    private mutating func catchUp() throws {
        guard let session = pick(sessions.filter(\.isBehind)) else { return }
        session.isBehind = false
        harness.process([.caughtUp(session.id)])
        try check()
    }

    /// Leaves, misses a turn or two, and comes back with what it had.
    private mutating func reconnect() throws {
        guard let session = awakeSession(), let place = sessions.firstIndex(where: { $0 === session }) else { return }
        let since = harness.store.version
        if let presence = session.presence { model.presences[presence] = nil }
        harness.close(session)
        sessions.remove(at: place)
        for _ in 0..<roll(3) { try writeTogether() }
        let again = harness.connect(session.user, model)
        sessions.append(again)
        try subscribe(again, since: since)
    }

    private mutating func subscribe(_ session: LeakSession, since: Int64?) throws {
        let resuming = since.map { #","since":\#($0),"epoch":"\#(harness.store.epoch)""# } ?? ""
        var queries = [
            #""name":"i","class":"Item","sort":["position"]"#, #""name":"p","class":"Project""#, #""name":"m","class":"Permission""#,
            #""name":"u","class":"User","sort":["name"]"#, #""name":"h","class":"Presence""#,
            #""name":"c","class":"Item","filter":"createdBy == $user","limit":3"#,
        ]
        // Each change of an item has the items of its project read for these: two users are enough.
        if session.user < 2 {
            queries.append(#""name":"r","class":"Item","filter":"project.access != 'private'""#)
            queries.append(#""name":"a","class":"Project","filter":"ANY items.isDone == false""#)
        }
        if let project = anyProject() {
            for (name, className) in [("f", "Item"), ("g", "Project"), ("n", "Presence"), ("o", "Permission")] {
                queries.append(#""name":"\#(name)","class":"\#(className)","filter":"projectId == '\#(text(project))'""#)
            }
        }
        harness.process(queries.map { session.input("subscribe", "{\($0)\(resuming)}") })
        try check()
    }

    private mutating func check() throws {
        model.dropPresences()
        for (session, request, code, text) in try harness.examine(model) {
            guard let wanted = expected[session.id]?.removeValue(forKey: request) else { continue }
            try #require(code == wanted, "user \(session.user) was answered \(code) instead of \(wanted): \(text.string)")
            if code == 0 { taken += 1 }
        }
        let unanswered = expected.values.reduce(0) { $0 + $1.count }
        try #require(unanswered == 0, "\(unanswered) requests were not answered")
    }

    // MARK: Transactions

    private mutating func expect(_ code: Int, _ session: LeakSession) {
        steps += 1
        expected[session.id, default: [:]][session.lastRequest] = code
    }

    private mutating func send(_ session: LeakSession, _ changes: String, _ tokens: Set<Token>, code: Int) -> Input {
        let input = session.input("write", #"{"changes":[\#(changes)]}"#, tokens: tokens)
        expect(code, session)
        return input
    }

    /// What the transaction changes in these projects, told to all who may see it.
    private mutating func apply(_ user: Int, _ projects: [Token], _ change: (inout LeakModel) -> Void) {
        let before = projects.map { model.viewers($0) }
        change(&model)
        for (project, viewers) in zip(projects, before) { model.settle(project, by: user, seenBefore: viewers) }
    }

    private mutating func attempt(_ session: LeakSession) -> Input? {
        let user = session.user
        switch roll(24) {
        case 0, 1: return createProject(session)
        case 2...6: return createItem(session)
        case 7...10: return changeItem(session)
        case 11...13: return moveItem(session)
        case 14: return deleteItem(session)
        case 15: return changeProject(session)
        case 16, 17: return grant(session)
        case 18, 19: return revoke(session)
        case 20: return model.projects.count > 6 ? deleteProject(session) : nil
        default: return user == model.userCount - 1 ? nil : bePresent(session)
        }
    }

    private mutating func createProject(_ session: LeakSession) -> Input? {
        guard model.projects.count < 9 else { return nil }
        let (key, name) = (model.fresh(), model.fresh())
        let access: Access = roll(4) == 0 ? .everyoneRead : .private
        apply(session.user, [key]) {
            $0.projects[key] = .init(name: name, access: access, creator: session.user, roles: [session.user: .owner])
        }
        let object = #"{"projectId":"\#(text(key))","name":"\#(text(name))","access":"\#(access.rawValue)"}"#
        return send(session, #"{"create":"Project","object":\#(object)}"#, [], code: 0)
    }

    private mutating func createItem(_ session: LeakSession) -> Input? {
        guard let project = anyProject(), model.items.count < 80 else { return nil }
        let (key, body) = (model.fresh(), model.fresh())
        let code = model.refusal(session.user, project, needing: .editor)
        if code == 0 {
            apply(session.user, [project]) {
                $0.items[key] = .init(body: body, project: project, creator: session.user, writers: [session.user])
                $0.projects[project]?.items.insert(key)
            }
        }
        let object = #"{"itemId":"\#(text(key))","projectId":"\#(text(project))","body":"\#(text(body))"}"#
        return send(session, #"{"\#(roll(2) == 0 ? "create" : "upsert")":"Item","object":\#(object)}"#, [key, body, project], code: code)
    }

    private mutating func changeItem(_ session: LeakSession) -> Input? {
        guard let key = anyItem(), let item = model.items[key] else { return nil }
        var code = model.refusal(session.user, item.project, needing: .editor)
        let body = model.fresh()
        let assignee = roll(model.userCount)
        let assigns = roll(3) == 0
        if code == 0, assigns, !model.sees(assignee, item.project) { code = -32602 }
        if code == 0 {
            apply(session.user, [item.project]) {
                $0.items[key]?.body = body
                $0.items[key]?.writers.insert(session.user)
                if assigns { $0.items[key]?.assignee = assignee }
            }
        }
        let more = assigns ? #","assignee":"\#(text(model.id(of: assignee)))""# : ""
        return send(
            session, #"{"update":"Item","id":"\#(text(key))","set":{"body":"\#(text(body))"\#(more)}}"#,
            [key, body, model.id(of: assignee)], code: code)
    }

    private mutating func moveItem(_ session: LeakSession) -> Input? {
        guard let key = anyItem(), let item = model.items[key], let target = anyProject() else { return nil }
        let user = session.user
        let code =
            !model.sees(user, item.project) || !model.sees(user, target)
            ? -32003
            : min(model.refusal(user, item.project, needing: .editor), model.refusal(user, target, needing: .editor))
        if code == 0 {
            apply(user, [item.project, target]) {
                $0.projects[item.project]?.items.remove(key)
                $0.projects[target]?.items.insert(key)
                $0.items[key]?.project = target
                $0.items[key]?.writers.insert(user)
                if let assignee = item.assignee, !$0.sees(assignee, target) { $0.items[key]?.assignee = nil }
            }
        }
        return send(
            session, #"{"update":"Item","id":"\#(text(key))","set":{"projectId":"\#(text(target))"}}"#, [key, target], code: code)
    }

    private mutating func deleteItem(_ session: LeakSession) -> Input? {
        guard let key = anyItem(), let item = model.items[key] else { return nil }
        let code = model.refusal(session.user, item.project, needing: .editor)
        if code == 0 {
            apply(session.user, [item.project]) {
                $0.items[key] = nil
                $0.projects[item.project]?.items.remove(key)
            }
        }
        return send(session, #"{"delete":"Item","id":"\#(text(key))"}"#, [key], code: code)
    }

    private mutating func changeProject(_ session: LeakSession) -> Input? {
        guard let key = anyProject() else { return nil }
        let opens = roll(2) == 0
        let code = model.refusal(session.user, key, needing: opens ? .owner : .editor)
        let access: Access = roll(3) == 0 ? .everyoneWrite : .private
        let name = model.fresh()
        if code == 0 {
            apply(session.user, [key]) { if opens { $0.projects[key]?.access = access } else { $0.projects[key]?.name = name } }
        }
        let set = opens ? #""access":"\#(access.rawValue)""# : #""name":"\#(text(name))""#
        return send(session, #"{"update":"Project","id":"\#(text(key))","set":{\#(set)}}"#, [key, name], code: code)
    }

    private mutating func deleteProject(_ session: LeakSession) -> Input? {
        guard let key = anyProject() else { return nil }
        let code = model.refusal(session.user, key, needing: .owner)
        if code == 0 {
            apply(session.user, [key]) {
                for item in $0.projects[key]?.items ?? [] { $0.items[item] = nil }
                $0.projects[key] = nil
            }
        }
        return send(session, #"{"delete":"Project","id":"\#(text(key))"}"#, [key], code: code)
    }

    private mutating func grant(_ session: LeakSession) -> Input? {
        guard let key = anyProject(), let role = pick(Role.allCases) else { return nil }
        let user = roll(model.userCount - 1)
        var code = model.refusal(session.user, key, needing: .owner)
        if code == 0, role != .owner, model.isLastOwner(user, key) { code = -32004 }
        if code == 0 { apply(session.user, [key]) { $0.projects[key]?.roles[user] = role } }
        let byName = roll(2) == 0
        let named = byName ? model.name(of: user) : model.id(of: user)
        let who = #""\#(byName ? "userName" : "userId")":"\#(text(named))""#
        return send(
            session, #"{"upsert":"Permission","object":{"projectId":"\#(text(key))",\#(who),"role":"\#(role.name)"}}"#,
            [key, model.name(of: user), model.id(of: user)], code: code)
    }

    private mutating func revoke(_ session: LeakSession) -> Input? {
        guard let key = anyProject() else { return nil }
        let user = roll(model.userCount - 1)
        var code = model.projects[key]?.roles[user] == nil || !model.sees(session.user, key) ? -32003 : 0
        if code == 0, user != session.user { code = model.refusal(session.user, key, needing: .owner) }
        if code == 0, model.isLastOwner(user, key) { code = -32004 }
        if code == 0 { apply(session.user, [key]) { $0.projects[key]?.roles[user] = nil } }
        return send(
            session, #"{"delete":"Permission","id":"\#(text(key)):\#(text(model.id(of: user)))"}"#, [key, model.id(of: user)], code: code)
    }

    private mutating func bePresent(_ session: LeakSession) -> Input? {
        guard let project = anyProject() else { return nil }
        let (key, state) = (model.fresh(), model.fresh())
        let old = session.presence.flatMap { model.presences[$0] == nil ? nil : $0 }
        // What goes when the commit is told may be seen or not until then.
        if let old, let presence = model.presences[old], !model.sees(session.user, presence.project) { return nil }
        let code = model.sees(session.user, project) ? 0 : -32003
        if code == 0 {
            if let old { model.presences[old] = nil }
            session.presence = key
            apply(session.user, [project]) { $0.presences[key] = .init(state: state, project: project, user: session.user) }
        }
        let deletion = old.map { #"{"delete":"Presence","id":"\#(text($0))"},"# } ?? ""
        let object = #"{"presenceId":"\#(text(key))","projectId":"\#(text(project))","state":["\#(text(state))"]}"#
        return send(session, #"\#(deletion){"create":"Presence","object":\#(object)}"#, [key, state, project], code: code)
    }

    // MARK: Questions

    private mutating func ask() throws {
        guard let session = awakeSession() else { return }
        let user = session.user
        let other = roll(model.userCount)
        switch roll(4) {
        case 0:
            harness.process([session.input("query", #"{"class":"Item"}"#)])
            expect(0, session)
            let visible = model.visibleItems(user)
            for answer in try harness.examine(model) where answer.request == session.lastRequest && answer.session === session {
                let count = LeakHarness.count(#""itemId":"#, in: answer.text)
                try #require(count == visible, "user \(user) sees \(count) items instead of \(visible)")
                expected[session.id]?[answer.request] = nil
            }
        case 1:
            // Everybody finds a user by the exact name, and knows the id from then on.
            let name = model.name(of: other)
            model.mark(model.id(of: other), user)
            model.mark(name, user)
            harness.process([session.input("findUser", #"{"name":"\#(text(name))"}"#)])
            expect(0, session)
        case 2:
            let hasMet = model.hasMet(user, other)
            if hasMet { model.mark(model.name(of: other), user) }
            harness.process([session.input("findUser", #"{"userId":"\#(text(model.id(of: other)))"}"#, tokens: [model.id(of: other)])])
            expect(hasMet ? 0 : -32003, session)
        default:
            let params = #"{"userId":"\#(text(model.id(of: other)))"}"#
            harness.process([session.input("admin.sessions", params)])
            expect(model.isAdmin(user) ? 0 : -32002, session)
        }
        try check()
    }

    // MARK: Invitations

    private mutating func share() throws {
        guard let session = awakeSession() else { return }
        let user = session.user
        if roll(2) == 0, let project = anyProject(), let role = pick(Role.allCases) {
            let code = model.refusal(user, project, needing: .owner)
            let uses = 1 + roll(2)
            harness.process([
                session.input(
                    "invite.create", #"{"projectId":"\#(text(project))","role":"\#(role.name)","uses":\#(uses)}"#, tokens: [project])
            ])
            expect(code, session)
            for answer in try harness.examine(model) where answer.request == session.lastRequest && answer.session === session {
                try #require(answer.code == code)
                expected[session.id]?[answer.request] = nil
                let parts = answer.text.string.components(separatedBy: #""code":""#)
                if code == 0, parts.count == 2 { codes.append((String(parts[1].prefix(43)), project, role, user, uses)) }
            }
        } else if !codes.isEmpty, user != model.userCount - 1 {
            try accept(session, place: roll(codes.count))
        }
        try check()
    }

    private mutating func accept(_ session: LeakSession, place: Int) throws {
        let (code, project, role, maker, uses) = codes[place]
        let user = session.user
        var answer = 0
        if model.role(maker, project) != .owner {
            answer = -32003
        } else if model.projects[project]?.roles[user].map({ $0 < role }) ?? true {
            if uses == 0 {
                answer = -32003
            } else {
                codes[place].uses -= 1
                apply(user, [project]) { $0.projects[project]?.roles[user] = role }
            }
        }
        // Who is in learns nothing new by the answer, which names the project.
        harness.process([session.input("invite.accept", #"{"code":"\#(code)"}"#)])
        expect(answer, session)
        if model.projects[project] == nil { codes.remove(at: place) }
    }
}
