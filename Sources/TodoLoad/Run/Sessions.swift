import Network
import TodoProtocol

/// What load runs and scenarios know of their sessions alike.
enum Sessions {
    /// The nickname by which a session logs in; the keeper, who makes the projects, has its own.
    static func nickname(_ index: Int, keeper: Int) -> String {
        index == keeper ? "load-keeper" : "load-\(index + 1)"
    }
}

extension ServerError {
    /// How long to wait before the log-in is tried again, where the server says that there are too many; `nil` for any other refusal.
    var waitMilliseconds: Int? {
        knownCode == .tooManyRequests ? max(1, retryAfter ?? 1) * 1000 : nil
    }
}

extension CloseReason {
    /// Why a connection ended that was not to end.
    var sentence: String {
        switch self {
        case .connectFailed(let error): error.description
        case .broken(let code): "The connection broke: \(SystemError.text(of: code))"
        case .insecure(let words): "The encryption failed: \(words)"
        default: "The connection broke."
        }
    }
}
