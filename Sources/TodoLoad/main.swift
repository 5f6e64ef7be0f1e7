import Crypto
import Glibc
import Network
import TodoClient

/// Exit status of a run that was stopped by Ctrl-C, as shells give it.
let interruptedStatus: Int32 = 130

func complain(_ text: String) {
    var text = "todo-load: \(text)\n"
    text.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Checks that so many connections can be had.
func checkOpenFiles(_ flag: String, _ count: Int, besides others: Int) throws(UsageError) {
    let openFiles = ProcessSetup.raiseOpenFileLimit()
    guard count + others <= openFiles else {
        throw UsageError(
            description: "\(flag) \(count) needs \(count + others) open files; this process may have \(openFiles) "
                + "(ulimit -n). A server on the same machine needs as many.")
    }
}

/// Runs the load, or opens the idle connections, and prints the report.
///
/// - Returns: the exit status.
func run(_ options: LoadOptions) throws -> Int32 {
    if let count = options.idle {
        try checkOpenFiles("--idle", count, besides: IdleRun.underWayMax + 32)
    } else {
        try checkOpenFiles("--sessions", options.sessions, besides: 32)
    }
    ProcessSetup.ignoreBrokenPipes()
    // Before any thread starts: threads inherit what is blocked.
    let signals = try SignalSource([.interrupt, .terminate])
    let server = options.url == nil ? try OwnServer.start(options.serverFlags) : nil
    defer { server?.stop() }
    let endpoint = try Endpoint(options.url ?? server?.url ?? "")
    guard let address = try SocketAddress.resolve(host: endpoint.host, port: endpoint.port).first else {
        throw UsageError(description: "The host \(endpoint.host) has no address.")
    }
    let context = endpoint.isSecure ? try TLSContext(trusting: options.authorityFile ?? options.certificateFile) : nil
    let mailbox = try Mailbox<RunMessage>()
    var loop = try EventLoop(outboundBytesMax: 64 << 20)
    try loop.add(signals)
    if let count = options.idle, let process = server?.process ?? options.process {
        var idle = IdleRun(count, endpoint: endpoint, address: address, context: context, process: process)
        try loop.run(&idle, mailbox: mailbox)
        print(options.json ? idle.report.json : idle.report.text)
        return idle.report.isGood ? 0 : 1
    }
    var random = SystemRandomNumberGenerator()
    let run = String(random.next() as UInt64, radix: 36)
    if let scenario = options.scenario {
        var play = ScenarioRun(options, scenario, endpoint: endpoint, address: address, context: context, server: server, run: run)
        try loop.run(&play, mailbox: mailbox)
        return finish(
            ScenarioOutcome(
                scenario: scenario, options: options, rows: play.rows, url: endpoint.description, steps: play.figures,
                failures: play.failures,
                wasInterrupted: play.wasInterrupted))
    }
    var load = LoadRun(options, endpoint: endpoint, address: address, context: context, server: server, run: run)
    try loop.run(&load, mailbox: mailbox)
    load.progress.end()
    return finish(load.outcome, server)
}

func finish(_ outcome: ScenarioOutcome) -> Int32 {
    print(outcome.options.json ? outcome.json : outcome.text)
    if outcome.wasInterrupted { return interruptedStatus }
    return outcome.isGood ? 0 : 1
}

func finish(_ outcome: Outcome, _ server: OwnServer?) -> Int32 {
    print(outcome.options.json ? outcome.json : outcome.text)
    if outcome.report.wasInterrupted { return interruptedStatus }
    if !outcome.isGood, let server, server.hasEnded { complain("the server ended by itself; its last words:\n\(server.lastLines)") }
    return outcome.isGood ? 0 : 1
}

do {
    switch try LoadOptions.parse(Array(CommandLine.arguments.dropFirst())) {
    case .help: print(Usage.help)
    case .version: print(Usage.version)
    case .run(let options): exit(try run(options))
    }
} catch let error as UsageError {
    complain("\(error) (--help tells more)")
    exit(2)
} catch let error as Endpoint.Fault {
    complain("--url: \(error)")
    exit(2)
} catch {
    complain("\(error)")
    exit(1)
}
