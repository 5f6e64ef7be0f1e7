import Glibc

// A WebSocket server that sends everything back: what conformance suites and load drivers run against. The server's own parts, without its work.

switch EchoOptions(arguments: CommandLine.arguments.dropFirst()) {
case .help:
    print(EchoOptions.usage)
case .refused(let sentence):
    complain("\(sentence)\n\n\(EchoOptions.usage)")
    exit(2)
case .serve(let port, let identity):
    do {
        try serve(port: port, identity: identity)
    } catch {
        complain("\(error)")
        exit(1)
    }
}
