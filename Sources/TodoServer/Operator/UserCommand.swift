import Crypto
import Foundation
import Network
import Todo
import TodoStore
import TodoSync

/// `todo-server user …`: accounts, by whoever may read and write the data folder. A server that runs on the folder does it at once;
/// without one it is done in the store itself.
struct UserCommand {
    private var dataFolder: String
    private var words: [String] = []
    private var switches: Set<String> = []
    private var heir: String?

    static let help = """
        todo-server user: accounts, also while the server runs.

        usage: todo-server user COMMAND [flags] [--data FOLDER]

          add NAME [--admin]        make an account; the password is asked for, or read from the standard input
          passwd NAME               give it another password; ends its sessions
          admin NAME [--off]        make the user an admin, or take that back
          suspend NAME [--lift]     end its sessions and let it in no more, or let it in again
          delete NAME               remove it; where it is the only owner of projects, with one of
              --hand-over NAME        make that user their owner
              --delete-projects       delete them
          list                      every user: name, id, role, state, ways to log in, last seen

        A name that begins with two dashes stands behind a '--'. TODOSYNC_DATA names the folder too.
        """

    /// Reads the command line behind the word `user`.
    init(arguments: [String], environment: [String: String]) throws(UsageError) {
        dataFolder = environment["TODOSYNC_DATA"].flatMap { $0.isEmpty ? nil : $0 } ?? "todosync-data"
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--":
                words += rest
                rest = []
            case "--data", "--hand-over":
                guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
                    throw UsageError(message: "\(argument) needs a value")
                }
                if argument == "--data" { dataFolder = value } else { heir = value }
            case "--admin", "--off", "--lift", "--delete-projects", "--help": switches.insert(argument)
            case let flag where flag.hasPrefix("--"):
                throw UsageError(message: "unknown flag \(flag) of 'todo-server user'; see 'todo-server user --help'")
            default: words.append(argument)
            }
        }
    }

    /// Does it and prints what came of it.
    func run() throws {
        if words.isEmpty || switches.contains("--help") { return print(Self.help) }
        switch try carryOut(try command()) {
        case .done(let sentence): print(sentence)
        case .refused(let sentence): throw Refused(description: sentence)
        case .users(let users): print(Self.table(users))
        }
    }

    private func command() throws -> OperatorCommand {
        let verb = words[0]
        if verb == "list" {
            try expect(words: 1, switches: [])
            return .list
        }
        let allowed = [
            "add": ["--admin"], "passwd": [], "admin": ["--off"], "suspend": ["--lift"], "delete": ["--delete-projects"],
        ]
        guard let switches = allowed[verb] else {
            throw UsageError(message: "there is no 'user \(verb)'; there are add, passwd, admin, suspend, delete and list")
        }
        try expect(words: 2, switches: Set(switches))
        let name = words[1]
        switch verb {
        case "add": return .add(name: name, passwordHash: try askForHash(name), isAdmin: self.switches.contains("--admin"))
        case "passwd": return .setPassword(name: name, passwordHash: try askForHash(name))
        case "admin": return .setAdmin(name: name, isAdmin: !self.switches.contains("--off"))
        case "suspend": return .suspend(name: name, isSuspended: !self.switches.contains("--lift"))
        default: return .delete(name: name, ownProjects: try ownProjects())
        }
    }

    private func ownProjects() throws -> OperatorCommand.OwnProjects {
        let deletes = switches.contains("--delete-projects")
        guard let heir else { return deletes ? .delete : .undecided }
        guard !deletes else { throw UsageError(message: "--hand-over and --delete-projects exclude each other") }
        return .handOver(to: heir)
    }

    private func expect(words count: Int, switches allowed: Set<String>) throws {
        guard words.count == count else {
            throw UsageError(message: "'user \(words[0])' takes \(count == 1 ? "no name" : "one name"); see 'todo-server user --help'")
        }
        if let spare = switches.subtracting(allowed).min() { throw UsageError(message: "'user \(words[0])' takes no \(spare)") }
        guard heir == nil || words[0] == "delete" else { throw UsageError(message: "'user \(words[0])' takes no --hand-over") }
    }

    /// The password's hash: the password itself goes nowhere.
    private func askForHash(_ name: String) throws -> String {
        try PasswordHash.make(try PasswordPrompt.ask(for: name)).text
    }

    // MARK: Carrying out

    private func carryOut(_ command: OperatorCommand) throws -> OperatorReply {
        var attempts = 0
        while true {
            if FileManager.default.fileExists(atPath: dataFolder), let reply = try ControlSocket.send(command, to: dataFolder) {
                return reply
            }
            do {
                return try carryOutAlone(command)
            } catch let failure as StoreFailure {
                // A server that is just starting holds the folder before it listens.
                attempts += 1
                guard attempts < 10, FileManager.default.fileExists(atPath: dataFolder + "/lock") else { throw failure }
                usleep(200_000)
            }
        }
    }

    private func carryOutAlone(_ command: OperatorCommand) throws -> OperatorReply {
        if case .add = command {
        } else if !SQLiteStore.exists(in: dataFolder) {
            throw UsageError(message: "there is no store in \(dataFolder); name its folder with --data FOLDER")
        }
        let store = try SQLiteStore(folder: dataFolder)
        defer { store.close() }
        let log = Log.lines(.info)
        if let notice = store.finding.notice { log(.warning, notice) }
        let settings = SyncSettings(server: Version.name, providers: [], accessOfNewProjects: .private)
        // What was done is printed: of the lines for a server's log only those are wanted that say why the store fails.
        let hub = Hub(store: store, settings: settings, loops: 1, jobs: NoJobs(), log: .lines(.error), moment: .now())
        let answers = try Mailbox<OperatorReply>()
        hub.process([.operated(command, reply: { _ = answers.post($0) })], at: .now())
        var replies: [OperatorReply] = []
        answers.takeAll(into: &replies)
        return replies.first ?? .refused("the command came to nothing")
    }

    /// The command was understood and not carried out.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    /// An operator's command needs no other thread.
    private struct NoJobs: JobRunner {
        func submit(_ lane: JobLane, _ job: @escaping @Sendable () -> Finished) {
            preconditionFailure("An operator's command has no work for other threads.")
        }
    }

    private static func table(_ users: [OperatorUser]) -> String {
        let rows = users.map { user in
            [
                user.name, user.userId, user.isAdmin ? "admin" : "user", user.isSuspended ? "suspended" : "active",
                user.providers.joined(separator: ","), user.lastSeen?.rfc3339 ?? "never",
            ]
        }
        return ([["name", "id", "role", "state", "log in by", "last seen"]] + rows).map { $0.joined(separator: "\t") }
            .joined(separator: "\n")
    }
}
