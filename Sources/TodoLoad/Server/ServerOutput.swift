import Bytes
import Glibc
import Network
import Synchronization

/// Reads what a server writes, so that its pipe never fills up, and keeps the last lines for a diagnosis.
final class ServerOutput: Sendable {
    private struct State {
        var lines: [String] = []
        var address: String?
        var hasEnded = false
    }

    private static let linesMax = 20
    private let state = Mutex(State())

    /// Reads from that end of a pipe on a thread of its own until the other end is closed.
    init(_ source: consuming Descriptor) throws(SystemError) {
        let number = source.release()
        let thread = try NamedThread(name: "server output") { [self] in
            readAll(Descriptor(owning: number))
        }
        // It ends with the server.
        _ = consume thread
    }

    /// The last lines.
    var lastLines: String { state.withLock { $0.lines.joined(separator: "\n") } }

    /// Whether the server has closed its output, which it does when it ends.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// The WebSocket address of the first `http://…` or `https://…` that the server names, `nil` where it ends or is silent for too long.
    func waitForAddress(milliseconds: Int) -> String? {
        let deadline = Instant.now().advanced(milliseconds: milliseconds)
        while Instant.now() < deadline {
            let (address, hasEnded) = state.withLock { ($0.address, $0.hasEnded) }
            if let address { return address }
            if hasEnded { return nil }
            usleep(5_000)
        }
        return nil
    }

    private func readAll(_ source: consuming Descriptor) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var line: [UInt8] = []
        while true {
            let count = read(source.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            for byte in buffer[..<count] {
                if byte == UInt8(ascii: "\n") {
                    take(String(decoding: line, as: UTF8.self))
                    line.removeAll(keepingCapacity: true)
                } else if line.count < 4096 {
                    line.append(byte)
                }
            }
        }
        if !line.isEmpty { take(String(decoding: line, as: UTF8.self)) }
        state.withLock { $0.hasEnded = true }
    }

    private func take(_ line: String) {
        state.withLock { state in
            if state.lines.count == Self.linesMax { state.lines.removeFirst() }
            state.lines.append(line)
            if state.address == nil { state.address = Self.address(in: line) }
        }
    }

    /// `ws://HOST:PORT/sync` for the `http://HOST:PORT/` in a line, `wss://…` for `https://…`.
    static func address(in line: String) -> String? {
        for word in line.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            let isSecure = word.hasPrefix("https://")
            guard isSecure || word.hasPrefix("http://") else { continue }
            let authority = word.dropFirst(isSecure ? "https://".count : "http://".count).prefix {
                $0 != "/" && $0 != "?" && $0 != "\u{1B}"
            }
            guard HostAndPort(authority)?.port != nil else { continue }
            return "\(isSecure ? "wss" : "ws")://\(authority)/sync"
        }
        return nil
    }
}
