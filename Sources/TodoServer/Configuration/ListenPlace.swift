import Bytes
import Network

/// One place where the server listens, as `--listen` names it: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080` or `unix:/run/todo.sock`.
enum ListenPlace: Equatable, Sendable {
    case network(host: String, port: Int)
    case unix(path: String)

    /// Reads a place; nil where the text is none.
    init?(_ text: some StringProtocol) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst("unix:".count))
            guard !path.isEmpty else { return nil }
            self = .unix(path: path)
            return
        }
        guard let place = HostAndPort(text), let port = place.port else { return nil }
        self = .network(host: place.host, port: port)
    }

    /// Whether nothing but this machine reaches it.
    var isLocal: Bool {
        switch self {
        case .unix: true
        case .network(let host, _): host == "localhost" || IPAddress(host)?.isLoopback == true
        }
    }

    /// The addresses behind it: a name may have several, of which each is listened on.
    func addresses() throws(SystemError) -> [SocketAddress] {
        switch self {
        case .unix(let path): return [try .unix(path: path)]
        case .network(let host, let port):
            var seen: Set<String> = []
            let all = try SocketAddress.resolve(host: host, port: port).filter { seen.insert($0.description).inserted }
            // The system chooses a port for each address, and a name stands for one.
            return port == 0 ? Array(all.prefix(1)) : all
        }
    }
}
