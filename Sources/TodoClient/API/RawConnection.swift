/// A connection without a session, for checks of the protocol itself: any text can be sent, and every message is seen as it came.
public final class RawConnection: Sendable {
    private let core: RawCore

    private init(_ core: RawCore) {
        self.core = core
    }

    deinit {
        // Nobody can close it any more. A thread that does not run has no connection either.
        try? ClientLoop.post(.raw(core, .drop))
    }

    /// Connects and upgrades.
    ///
    /// - Parameters:
    ///   - url: such as `ws://127.0.0.1:8080/sync`, or with `wss://`.
    ///   - subprotocols: what is offered; none where empty.
    ///   - headers: further headers of the upgrade.
    ///   - authorityFile: for `wss://`: the authorities to trust (PEM) instead of those of the system.
    public static func connect(
        _ url: String, subprotocols: [String] = ["todosync.v1"], headers: [(name: String, value: String)] = [],
        authorityFile: String? = nil, withinMilliseconds: Int = 10_000
    ) async throws(ClientError) -> RawConnection {
        let endpoint = try Endpoint.parse(url)
        let context = try Trust.context(for: endpoint, authorityFile: authorityFile)
        let core = RawCore(endpoint: endpoint, subprotocols: subprotocols, headers: headers, context: context)
        try ClientLoop.post(.openRaw(core, try await Resolver.resolve(host: endpoint.host, port: endpoint.port)))
        _ = try await core.wait(for: .opened, milliseconds: withinMilliseconds).get()
        return RawConnection(core)
    }

    /// The subprotocol that the server chose.
    public var subprotocol: String? { core.subprotocol }

    /// Sends a text message.
    public func send(_ text: String) throws(ClientError) {
        try ClientLoop.post(.raw(core, .text(text)))
    }

    /// Sends a binary message.
    public func send(binary bytes: [UInt8]) throws(ClientError) {
        try ClientLoop.post(.raw(core, .binary(bytes)))
    }

    /// Writes bytes on the socket as they are, without a frame around them.
    public func send(bytes: [UInt8]) throws(ClientError) {
        try ClientLoop.post(.raw(core, .bytes(bytes)))
    }

    /// Sends a ping.
    public func ping() throws(ClientError) {
        try ClientLoop.post(.raw(core, .ping))
    }

    /// Begins to close.
    public func close(code: UInt16 = 1000, reason: String = "") throws(ClientError) {
        try ClientLoop.post(.raw(core, .close(code: code, reason: reason)))
    }

    /// Cuts the connection: the server sees a reset.
    public func drop() throws(ClientError) {
        try ClientLoop.post(.raw(core, .drop))
    }

    /// Reads no more from the socket until `resumeReading`: the server sees a slow reader.
    public func pauseReading() throws(ClientError) {
        try ClientLoop.post(.raw(core, .pause))
    }

    /// Reads from the socket again.
    public func resumeReading() throws(ClientError) {
        try ClientLoop.post(.raw(core, .resume))
    }

    /// The next text message.
    ///
    /// - Throws: `closed` once the connection is closed and all messages were taken, `timedOut` where none comes.
    public func receive(withinMilliseconds milliseconds: Int = 10_000) async throws(ClientError) -> String {
        try await core.wait(for: .message, milliseconds: milliseconds).get()
    }

    /// Waits until the connection is closed.
    ///
    /// - Returns: the code and the reason of the server's close frame; 1006 where none came.
    /// - Throws: `timedOut` where it stays open.
    public func waitForClose(withinMilliseconds milliseconds: Int = 10_000) async throws(ClientError) -> (code: UInt16, reason: String) {
        switch await core.wait(for: .end, milliseconds: milliseconds) {
        case .failure(.closed(let code, let reason)): return (code, reason)
        case .failure(let error): throw error
        case .success: return (1006, "")
        }
    }
}

extension Endpoint {
    static func parse(_ url: String) throws(ClientError) -> Endpoint {
        do {
            return try Endpoint(url)
        } catch {
            throw .badURL(error.description)
        }
    }
}
