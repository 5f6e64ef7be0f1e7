/// What ties an answer to its request (JSON-RPC 2.0 §4): a string, a number or null, or nothing for a notification.
public enum RequestID: Sendable {
    /// The request is a notification: it is carried out and never answered.
    case absent
    /// The id's JSON text, byte for byte as it was sent, so that `7.5`, `1.0` and a number beyond 64 bits come back as they were.
    case raw(String)

    /// `null`: the id of an answer to what could not be read as a request.
    public static let null = RequestID.raw("null")

    /// Whether there is nobody to answer.
    public var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }
}

extension RequestID: Equatable {
    /// Compares the texts byte for byte.
    public static func == (one: RequestID, other: RequestID) -> Bool {
        switch (one, other) {
        case (.absent, .absent): true
        case (.raw(let a), .raw(let b)): a.utf8.elementsEqual(b.utf8)
        default: false
        }
    }
}
