import Bytes
import TestSupport
import Todo
import TodoClient
import TodoProtocol
import TodoSync

/// A client of the model test: a strict copy of each of its lists, kept from the messages alone.
final class ModelClient {
    /// A subscription as the client knows it.
    struct List {
        let query: RandomQuery
        var replica: Replica
    }

    /// The lists by name, as the decoder asks for them.
    private struct Lists: MessageContext {
        var byName: [String: List] = [:]
        var queries: [Int64: ClassName] = [:]

        func className(ofSubscription name: String) -> ClassName? { byName[name]?.replica.className }
        func className(ofRequest id: Int64) -> ClassName? { queries[id] }
    }

    let id: SessionID
    let user: String
    /// Whether more waits for its socket than it is given.
    var isBehind = false
    /// Names of lists that a message named since the last look.
    private(set) var touched: Set<String> = []
    /// The answers that have come, by request.
    private(set) var answers: [Int64: Result<ServerResult, ServerError>] = [:]
    /// The version at which the complete lists stand.
    private(set) var version: Int64 = 0
    private var lists = Lists()
    private var encoder = JSONWriter()
    private var serverDecoder = MessageDecoder()
    private var decoder = ServerMessageDecoder()
    private var lastRequest: Int64 = 0
    /// Requests that ask to go on with a list.
    private var resuming: Set<Int64> = []

    init(_ id: SessionID, user: String) {
        self.id = id
        self.user = user
    }

    var names: [String] { lists.byName.keys.sorted() }

    func list(_ name: String) -> List? { lists.byName[name] }

    func takeTouched() -> Set<String> {
        defer { touched = [] }
        return touched
    }

    // MARK: Requests

    /// A request as the server decodes it.
    func request(_ encode: (Int64, inout JSONWriter) -> Void) -> (id: Int64, input: Input) {
        lastRequest += 1
        encoder.removeAll()
        encode(lastRequest, &encoder)
        let text = encoder.finish()
        return (lastRequest, .message(id, text.withUnsafeBytes { serverDecoder.decode($0) }))
    }

    func login() -> (id: Int64, input: Input) {
        request { RequestEncoder.login(id: $0, .token(Enrolment.token(of: user)), into: &$1) }
    }

    func subscribe(_ name: String, _ query: RandomQuery, update: Bool = false, since: Int64? = nil, epoch: String? = nil) -> (
        id: Int64, input: Input
    ) {
        request {
            RequestEncoder.subscribe(
                id: $0, SubscribeParams(name, to: query.text, update: update, since: since, epoch: since == nil ? nil : epoch), into: &$1)
        }
    }

    func query(_ query: RandomQuery) -> (id: Int64, input: Input) {
        let made = request { RequestEncoder.query(id: $0, QueryParams(query.text), into: &$1) }
        lists.queries[made.id] = query.className
        return made
    }

    /// The list of a subscription that is about to be made; the rows follow.
    func expect(_ name: String, _ query: RandomQuery) {
        lists.byName[name] = List(query: query, replica: Replica(of: query.className, isStrict: true))
    }

    func forget(_ name: String) { lists.byName[name] = nil }

    /// Goes on with a list of another connection, from that version on.
    func resume(_ name: String, _ list: List, since: Int64?, epoch: String) -> (id: Int64, input: Input) {
        var list = list
        list.replica.suspend()
        lists.byName[name] = list
        let made = subscribe(name, list.query, since: since, epoch: epoch)
        resuming.insert(made.id)
        return made
    }

    // MARK: Messages

    func take(_ text: SharedBytes) throws(Fault) {
        let message: ServerMessage
        do { message = try text.withUnsafeBytes { bytes throws(ServerMessageFault) in try decoder.decode(bytes, context: lists) } } catch {
            throw Fault("\(error.message) in \(text.string)")
        }
        try take(message)
    }

    private func take(_ message: ServerMessage) throws(Fault) {
        switch message {
        case .result(let id, let result):
            if case .subscribed(let name, _, let resumed) = result, resuming.remove(id) != nil, resumed != true {
                lists.byName[name]?.replica.restart()
            }
            answers[id] = .success(result)
        case .failure(let id, let error):
            guard let id else { throw Fault("a message could not be read: \(error.message)") }
            answers[id] = .failure(error)
        case .initial(let part):
            guard lists.byName[part.name] != nil else { throw Fault("rows of '\(part.name)', which is no list") }
            do { try lists.byName[part.name]?.replica.apply(part) } catch { throw Fault("list '\(part.name)': \(error)") }
            touched.insert(part.name)
            if let version = part.version { try reach(version) }
        case .change(let change):
            try reach(change.version)
            guard change.version == version else { throw Fault("a change to \(change.version) after one to \(version)") }
            for update in change.updates { try apply(update, change.version) }
        case .subscriptionEnded(let name, let error): throw Fault("the list '\(name)' ended: \(error.message)")
        case .batch(let messages): for message in messages { try take(message) }
        case .other(let method): throw Fault("an unknown notification \(method)")
        }
    }

    private func reach(_ version: Int64) throws(Fault) {
        self.version = max(self.version, version)
    }

    private func apply(_ update: ListUpdate, _ version: Int64) throws(Fault) {
        guard var list = lists.byName[update.name] else { throw Fault("a change of '\(update.name)', which is no list") }
        let before = list.replica.rows
        lists.byName[update.name]?.replica = Replica(of: list.query.className, isStrict: true)
        do { try list.replica.apply(update, version: version) } catch { throw Fault("list '\(update.name)': \(error)") }
        lists.byName[update.name] = list
        touched.insert(update.name)
        if let fault = MoveRule.fault(in: update, from: before, to: list.replica.rows, list.query) {
            throw Fault("list '\(update.name)': \(fault)")
        }
    }

    func takeAnswer(_ id: Int64) -> Result<ServerResult, ServerError>? { answers.removeValue(forKey: id) }
}
