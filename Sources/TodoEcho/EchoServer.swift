import Crypto
import Glibc
import Network

/// Listens on the loopback address and serves until a signal asks to stop.
func serve(port: Int, identity: (certificateFile: String, keyFile: String)?) throws {
    ProcessSetup.ignoreBrokenPipes()
    ProcessSetup.raiseOpenFileLimit()
    let context = try identity.map { try TLSContext(certificateFile: $0.certificateFile, keyFile: $0.keyFile) }
    let signals = try SignalSource([.interrupt, .terminate])
    let listener = try Listener(on: .loopback(port: port))
    let address = listener.address
    var loop = try EventLoop(outboundBytesMax: EchoHandler.outboundBytesMax)
    try loop.add(signals)
    try loop.add(listener)
    print("todo-echo: listening on ws\(context == nil ? "" : "s")://\(address)/ (also /echo, and /room, which sends to everyone there)")
    fflush(nil)
    var handler = EchoHandler(context: context)
    try loop.run(&handler, mailbox: Mailbox<Never>())
}

/// Writes to the standard error stream, past the C library's shared variable for it.
func complain(_ text: String) {
    var line = "todo-echo: \(text)\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
