public import Todo

/// What one text message of the server says.
public enum ServerMessage: Sendable {
    /// The result of the request with that id.
    case result(id: Int64, ServerResult)
    /// The request with that id failed; without an id, the server could not read a message.
    case failure(id: Int64?, ServerError)
    /// A part of a first list.
    case initial(InitialPart)
    /// What commits did to the session's lists.
    case change(ChangeMessage)
    /// A subscription has ended.
    case subscriptionEnded(name: String, ServerError)
    /// The answers to a batch.
    case batch([ServerMessage])
    /// A notification that this version of the protocol does not know, to be left alone.
    case other(method: String)
}

/// A result, told apart by its members.
public enum ServerResult: Sendable {
    /// Of `info`.
    case info(ServerInfo)
    /// Of `login` and `register`.
    case login(LoginResult)
    /// Of `subscribe`.
    case subscribed(name: String, isComplete: Bool, resumed: Bool?)
    /// Of `query`.
    case query(version: Int64, objects: [Object])
    /// Of `write`.
    case write(version: Int64, ids: [String?], isDuplicate: Bool)
    /// `{}`.
    case empty
}

/// An error as it arrives: of a server of any version, so neither number nor word need be known here.
public struct ServerError: Error, Sendable, Hashable {
    /// `code`.
    public var code: Int
    /// `message`.
    public var message: String
    /// `data.reason`.
    public var reason: String?
    /// `data.path`.
    public var path: String?
    /// `data.position`.
    public var position: Int?
    /// `data.expected`.
    public var expected: String?
    /// `data.limit`.
    public var limit: String?
    /// `data.maximum`.
    public var maximum: Int?
    /// `data.retryAfter`, in seconds.
    public var retryAfter: Int?

    /// An error with that number and sentence, and nothing else known of it.
    public init(code: Int, message: String) {
        self.code = code
        self.message = message
    }

    /// The code, if it is one of the protocol's.
    public var knownCode: ErrorCode? { ErrorCode(rawValue: code) }
}

/// A part of a first list.
public struct InitialPart: Sendable, Hashable {
    /// The subscription's name.
    public var name: String
    /// Where the part begins in the list; 0 starts from an empty list.
    public var index: Int
    /// The rows.
    public var objects: [Object]
    /// Whether the list is complete with them.
    public var isComplete: Bool
    /// What the complete list reflects.
    public var version: Int64?
}

/// One `change`.
public struct ChangeMessage: Sendable {
    /// What the lists reflect with it.
    public var version: Int64
    /// The ids of the users whose writes these were.
    public var by: [String]
    /// What happened, list by list.
    public var updates: [ListUpdate]
}

/// What happened to one list. Apply the deletions from the highest down, the insertions from the lowest up, then the modifications.
public struct ListUpdate: Sendable {
    /// A row that comes into the list.
    public struct Insertion: Sendable {
        /// Its place in the list as it becomes.
        public var index: Int
        /// The row.
        public var row: InsertedRow
    }

    /// What a row that comes in is made of.
    public enum InsertedRow: Sendable {
        /// A new row.
        case object(Object)
        /// The row that stood at that place before, with these fields changed.
        case moved(from: Int, set: FieldValues)
    }

    /// A row that keeps its place among the others.
    public struct Modification: Sendable {
        /// Its place in the list as it becomes.
        public var index: Int
        /// Its place in the list as it was.
        public var from: Int
        /// The fields that changed.
        public var set: FieldValues
    }

    /// The subscription's name.
    public var name: String
    /// Places in the list as it was, ascending.
    public var deletions: [Int] = []
    /// Ascending by index.
    public var insertions: [Insertion] = []
    /// Ascending by index.
    public var modifications: [Modification] = []
    /// Whether this answers a `since`, and the list is complete with it.
    public var isComplete = false
}

/// A message of the server that is none: what is wrong with it, and where. The connection can't be trusted any more.
public struct ServerMessageFault: Error, Sendable, Hashable {
    /// The sentence.
    public let message: String
}

/// What a client knows, and a message of the server does not tell: which class the objects of a list are of.
public protocol MessageContext: ~Copyable {
    /// The class of the subscription of that name, `nil` where there is none.
    func className(ofSubscription name: String) -> ClassName?
    /// The class that the `query` with that id asked for, `nil` where there is none.
    func className(ofRequest id: Int64) -> ClassName?
}
