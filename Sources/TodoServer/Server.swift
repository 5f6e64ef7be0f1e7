import Crypto
import Foundation
import Network
import Synchronization
import Todo
import TodoProtocol
import TodoStore
import TodoSync
import WebToken

/// The running server: its store, its listener and its threads.
struct Server {
    private let configuration: Configuration
    private let log: Log
    private let dataFolder: String

    /// Serves until a signal ends it.
    static func run(_ configuration: Configuration) throws {
        ProcessSetup.ignoreBrokenPipes()
        ProcessSetup.ignoreUserSignals()
        let configuration = fitted(configuration, toOpenFiles: ProcessSetup.raiseOpenFileLimit())
        let dataFolder = configuration.isDemo ? try Self.temporaryFolder() : configuration.dataFolder
        defer {
            if configuration.isDemo { try? FileManager.default.removeItem(atPath: dataFolder) }
        }
        try Server(configuration: configuration, log: .lines(configuration.logLevel), dataFolder: dataFolder).serve()
    }

    /// No more connections than the process may have files open, less what it needs for itself: so who comes past that is answered in order.
    private static func fitted(_ configuration: Configuration, toOpenFiles count: Int) -> Configuration {
        var configuration = configuration
        let possible = max(1, count - min(ownFiles, count / 4))
        configuration.limits.edge.connectionsMax = min(configuration.limits.edge.connectionsMax, possible)
        return configuration
    }

    /// The store with its snapshots, the loops, and the connections that are told that they are too many.
    private static let ownFiles = 256

    private static func temporaryFolder() throws -> String {
        var template = Array((FileManager.default.temporaryDirectory.path + "/todosync-demo-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw UsageError(
                message:
                    "no temporary folder can be made in \(FileManager.default.temporaryDirectory.path): \(String(cString: strerror(errno)))"
            )
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private func serve() throws {
        for variable in configuration.unknownVariables {
            log(.warning, "the environment variable \(variable) means nothing to this server; see --help")
        }
        // Signals are blocked here, before any thread is started, so that only the first loop takes them.
        let signals = try SignalSource([.interrupt, .terminate, .hangUp])
        let front = Front(identity: try identity(), webTokens: configuration.webTokens, log: log)
        let verifier = try configuration.webTokens.verifier()
        let store = try SQLiteStore(folder: dataFolder, startsNewHistory: configuration.startsNewHistory)
        if let notice = store.finding.notice { log(.warning, notice) }
        if configuration.isDemo {
            try SampleData.write(into: store, access: configuration.access, now: Moment.now().wall)
        }
        let doors = try listen()
        let loops = max(1, ProcessInfo.processInfo.activeProcessorCount - 1)
        let figures = SharedFigures()
        let status = ServerStatus(loops: loops) { figures.metrics() }
        let router = HTTPRouter(
            files: try staticFiles(), status: status, limits: configuration.limits.edge, policy: configuration.policy)
        let mailboxes = try (0..<loops).map { _ in try Mailbox<EdgeMessage<PortMessage>>() }
        let inbox = try Mailbox<CommitterMessage>()
        let control = try ControlSocket.listen(in: dataFolder, inbox, log)
        defer { control.remove() }
        announce(doors.map(\.address))
        let committer = try startCommitter(store, verifier, inbox, mailboxes, status, figures)
        var others: [Thread] = []
        for index in 1..<max(loops, 1) {
            others.append(
                Thread(
                    try NamedThread(name: "loop \(index)") { [log, limits = configuration.limits] in
                        Self.attempt(log) { try Self.runLoop(index, inbox, mailboxes, router, front, limits) { _ in } }
                    }))
        }
        try Self.runLoop(0, inbox, mailboxes, router, front, configuration.limits, signals, doors)
        for thread in others { thread.join() }
        committer.join()
        log(.info, "stopped")
    }

    /// Keeps a noncopyable thread in an array.
    private final class Thread {
        private var value: NamedThread?

        init(_ value: consuming NamedThread) { self.value = consume value }

        func join() {
            if let thread = value.take() { thread.join() }
        }
    }

    /// Keeps a noncopyable listener in an array.
    private final class Door {
        let address: SocketAddress
        private var value: Listener?

        init(_ value: consuming Listener) {
            address = value.address
            self.value = consume value
        }

        /// Takes the listener out.
        func open() -> Listener? { value.take() }
    }

    // MARK: Threads

    private func startCommitter(
        _ store: SQLiteStore, _ verifier: TokenVerifier, _ inbox: Mailbox<CommitterMessage>,
        _ mailboxes: [Mailbox<EdgeMessage<PortMessage>>],
        _ status: ServerStatus, _ figures: SharedFigures
    ) throws -> NamedThread {
        let jobs = try JobPool(committer: inbox, status: status)
        var settings = SyncSettings(
            server: Version.name, providers: configuration.providers, accessOfNewProjects: configuration.access)
        settings.allowsSignUp = configuration.allowsSignUp
        settings.limits = configuration.limits.sync
        settings.shownLimits = configuration.limits.shown
        settings.tokenVerifier = verifier
        let committer = Committer(
            mailbox: inbox, settings: settings, log: log, status: status, loops: mailboxes,
            report: { figures.take($0, version: $1) })
        // The store is made on this thread and belongs to the committer's from here on.
        nonisolated(unsafe) let owned = store
        return try NamedThread(name: "committer") {
            committer.run(owned, jobs)
            for mailbox in mailboxes { _ = mailbox.post(.shutDown) }
        }
    }

    private static func runLoop(
        _ index: Int, _ inbox: Mailbox<CommitterMessage>, _ mailboxes: [Mailbox<EdgeMessage<PortMessage>>], _ router: HTTPRouter,
        _ front: Front, _ limits: ServerLimits,
        _ prepare: (inout EventLoop) throws -> Void
    ) throws {
        var loop = try EventLoop(outboundBytesMax: router.limits.outboundBytesMax)
        try prepare(&loop)
        let status = router.status
        let port = SessionPort(
            index: index, committer: inbox, limits: limits,
            stopAccepting: {
                if status.isDraining.exchange(true, ordering: .relaxed) {
                    // Who asks again does not want to wait for the sessions' part of the end.
                    for mailbox in mailboxes { _ = mailbox.post(.shutDown) }
                } else {
                    Deadline.start(mailboxes, front.log)
                }
            }, reload: { front.reload(inbox) })
        var edge = Edge(index: index, sessions: port, router: router, mailboxes: mailboxes, identity: front.identity) { level, text in
            front.log(level, text)
        }
        try loop.run(&edge, mailbox: mailboxes[index])
    }

    /// The first loop also accepts connections and takes the signals.
    private static func runLoop(
        _ index: Int, _ inbox: Mailbox<CommitterMessage>, _ mailboxes: [Mailbox<EdgeMessage<PortMessage>>], _ router: HTTPRouter,
        _ front: Front, _ limits: ServerLimits,
        _ signals: consuming SignalSource, _ doors: [Door]
    ) throws {
        var signals: SignalSource? = signals
        try runLoop(index, inbox, mailboxes, router, front, limits) { loop in
            if let source = signals.take() { try loop.add(source) }
            for door in doors {
                if let listener = door.open() { try loop.add(listener) }
            }
        }
    }

    /// What the loops share beside the router: what is read again at SIGHUP, and where to complain.
    private struct Front: Sendable {
        let identity: TLSIdentity?
        let webTokens: WebTokenFiles
        let log: Log

        /// Reads the certificate and the keys for JSON Web Tokens again; what can't be read stays as it was.
        func reload(_ committer: Mailbox<CommitterMessage>) {
            reloadCertificate()
            guard webTokens.isGiven else { return }
            do {
                let verifier = try webTokens.verifier()
                _ = committer.post(.input(.tokenVerifier(verifier)))
                log(.info, "the keys for JSON Web Tokens have been read again: there are \(verifier.keys.count)")
            } catch let error as UsageError {
                log(.error, "the keys for JSON Web Tokens have not been exchanged: \(error.message)")
            } catch {
                log(.error, "the keys for JSON Web Tokens have not been exchanged: \(error)")
            }
        }

        private func reloadCertificate() {
            guard let identity else { return }
            do {
                try identity.reload()
                log(.info, "the certificate has been read again; new connections get it")
                if let warning = identity.context.warning { log(.warning, warning) }
            } catch {
                log(.error, "the certificate has not been exchanged: \(error)")
            }
        }
    }

    private static func attempt(_ log: Log, _ work: () throws -> Void) {
        do { try work() } catch { log(.error, "an event loop ended: \(error)") }
    }

    // MARK: Start

    private func listen() throws -> [Door] {
        var taken: Set<String> = []
        return try configuration.places.flatMap { place in
            var doors: [Door] = []
            var missing: SystemError?
            for address in try place.addresses() {
                if address.port != 0, !taken.insert("\(address)").inserted {
                    throw UsageError(message: "\(address) is named twice among the addresses to listen on; name it once")
                }
                do throws(SystemError) {
                    doors.append(Door(try Listener(on: address, fileMode: configuration.socketMode)))
                } catch {
                    // A name may stand for addresses of a family that this machine does not have.
                    guard [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.code) else { throw error }
                    missing = error
                }
            }
            if doors.isEmpty { throw missing ?? UsageError(message: "'\(place)' has no address") }
            return doors
        }
    }

    private func identity() throws -> TLSIdentity? {
        guard let certificateFile = configuration.certificateFile, let keyFile = configuration.keyFile else { return nil }
        let identity = try TLSIdentity(certificateFile: certificateFile, keyFile: keyFile)
        if let warning = identity.context.warning { log(.warning, warning) }
        return identity
    }

    private func staticFiles() throws -> StaticFiles {
        if let folder = configuration.publicFolder {
            let files = try StaticFiles(folder: folder)
            guard files.file(at: "/") != nil else {
                throw UsageError(
                    message:
                        "--public '\(folder)': there is no index.html in that folder; name the folder of the page, or leave --public out")
            }
            return files
        }
        guard let folder = PublicFolder.find() else {
            log(.warning, "there is no Public folder beside the program or here, so no page is served; name it with --public FOLDER")
            return StaticFiles()
        }
        return try StaticFiles(folder: folder)
    }

    /// Prints where the server is: the addresses of the network first, each with its page, then the Unix sockets.
    private func announce(_ addresses: [SocketAddress]) {
        let secure = configuration.certificateFile == nil ? "" : "s"
        let data =
            configuration.isDemo
            ? "\(dataFolder) (a demonstration: gone when the server stops)" : URL(filePath: dataFolder).standardizedFileURL.path
        var lines: [String] = []
        for address in addresses where !address.isUnix {
            let place = Self.reachable(address)
            lines += ["page       http\(secure)://\(place)/", "WebSocket  ws\(secure)://\(place)/sync"]
        }
        lines += addresses.filter(\.isUnix).map { "socket     \($0)" }
        lines += [
            "log in by  \(configuration.providers.map(\.rawValue).joined(separator: ", "))", "data       \(data)", "stop       Ctrl-C",
        ]
        let text = "\(Version.name) is running.\n" + lines.map { "  \($0)\n" }.joined()
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    /// The address under which this machine reaches a listener.
    private static func reachable(_ address: SocketAddress) -> String {
        switch address.host {
        case "0.0.0.0": "127.0.0.1:\(address.port ?? 0)"
        case "::": "[::1]:\(address.port ?? 0)"
        default: "\(address)"
        }
    }
}

/// Where the page's files are when no flag says so.
enum PublicFolder {
    /// `Public` here, beside the program, or where a build keeps it above the program.
    static func find() -> String? {
        let program = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        var places = [URL(filePath: FileManager.default.currentDirectoryPath)]
        var folder = program
        for _ in 0..<4 {
            places.append(folder)
            folder.deleteLastPathComponent()
        }
        return places.map { $0.appending(path: "Public").path }.first { FileManager.default.fileExists(atPath: $0 + "/index.html") }
    }
}

/// The committer's counters, for the threads that answer `/metrics`.
final class SharedFigures: Sendable {
    private let state = Mutex<(figures: SyncFigures, version: Int64)>((SyncFigures(), 0))

    func take(_ figures: SyncFigures, version: Int64) {
        state.withLock { $0 = (figures, version) }
    }

    func metrics() -> [Metric] {
        let (figures, version) = state.withLock { $0 }
        return [
            Metric("store_version", .gauge, Int(version), help: "Version of the last commit."),
            Metric("requests_total", .counter, figures.requests, help: "JSON-RPC requests taken."),
            Metric("commits_total", .counter, figures.commits, help: "Durable commits, each of one or more transactions."),
            Metric("transactions_total", .counter, figures.transactions, help: "Transactions that changed something."),
            Metric("changes_total", .counter, figures.changes, help: "Objects changed."),
            Metric("change_messages_total", .counter, figures.frames, help: "Distinct change messages encoded."),
            Metric("change_deliveries_total", .counter, figures.deliveries, help: "Change messages handed to sessions."),
        ]
    }
}
