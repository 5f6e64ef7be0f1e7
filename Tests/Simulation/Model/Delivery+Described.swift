import Bytes
import TodoSync

extension Delivery {
    /// In words, for a trace.
    var described: String {
        switch self {
        case .broadcast(let text, let connections): "to \(connections): \(text.string)"
        case .message(let text, let connection, let reportsDrained, _):
            "to \(connection)\(reportsDrained ? ", to be drained" : ""): \(text.string)"
        case .framed: preconditionFailure("no job frames anything here")
        case .worked(let connection, let report): "worked off \(report.requests) requests, \(report.bytes) bytes of \(connection)"
        case .watch(let connection): "watch \(connection)"
        case .close(let connection, let code, let reason): "close \(connection) with \(code) \(reason)"
        }
    }
}
