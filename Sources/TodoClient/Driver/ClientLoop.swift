internal import Network

/// The one thread on which all clients of the process have their connections.
final class ClientLoop: Sendable {
    /// Started with the first client; ends with the process.
    static let shared = Result<ClientLoop, SystemError> { () throws(SystemError) in try ClientLoop() }

    let mailbox: Mailbox<ClientCommand>

    private init() throws(SystemError) {
        ProcessSetup.ignoreBrokenPipes()
        let mailbox = try Mailbox<ClientCommand>()
        self.mailbox = mailbox
        let thread = try NamedThread(name: "todo clients") {
            do {
                var loop = try EventLoop()
                var driver = ClientDriver()
                try loop.run(&driver, mailbox: mailbox)
            } catch {
                // Without descriptors no client can be served, and each is waiting for an answer.
                preconditionFailure("the clients' event loop can't run: \(error)")
            }
        }
        _ = consume thread
    }

    /// Posts a command to the thread.
    static func post(_ command: ClientCommand) throws(ClientError) {
        switch shared {
        case .success(let loop): loop.mailbox.post(command)
        case .failure(let error): throw .cannotConnect(error)
        }
    }
}

/// Name look-ups, which block, on threads of their own.
enum Resolver {
    /// All addresses of the host.
    static func resolve(host: String, port: Int) async throws(ClientError) -> [SocketAddress] {
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Result<[SocketAddress], SystemError>, Never>) in
            do throws(SystemError) {
                let thread = try NamedThread(name: "resolver") {
                    continuation.resume(returning: Result { () throws(SystemError) in try SocketAddress.resolve(host: host, port: port) })
                }
                _ = consume thread
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        do {
            return try outcome.get()
        } catch {
            throw .cannotConnect(error)
        }
    }
}
