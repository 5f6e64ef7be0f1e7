import Bytes
import Todo
import TodoProtocol

// libFuzzer calls from one thread; one decoder for all inputs, as in the server, shows whether it forgets.
nonisolated(unsafe) private var decoder = MessageDecoder()
nonisolated(unsafe) private var answers = ServerMessageDecoder()

private struct NoQueries: MessageContext {
    func className(ofSubscription name: String) -> ClassName? { nil }
    func className(ofRequest id: Int64) -> ClassName? { nil }
}

private func encoded(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    write(&writer)
    return writer.finish().array
}

/// The request that a client would have written to make this call; `nil` for calls that the client library has no words for.
private func request(_ call: Call) -> [UInt8]? {
    switch call {
    case .findUser, .invite, .admin: return nil
    default: break
    }
    return encoded { writer in
        switch call {
        case .info: RequestEncoder.info(id: 7, into: &writer)
        case .register(let username, let password): RequestEncoder.register(id: 7, username: username, password: password, into: &writer)
        case .login(let login): RequestEncoder.login(id: 7, login, into: &writer)
        case .logout(let everywhere): RequestEncoder.logout(id: 7, everywhere: everywhere, into: &writer)
        case .changePassword(let old, let new): RequestEncoder.changePassword(id: 7, old: old, new: new, into: &writer)
        case .sessions: RequestEncoder.sessions(id: 7, into: &writer)
        case .endSession(let session): RequestEncoder.endSession(id: 7, session: session, into: &writer)
        case .subscribe(let params): RequestEncoder.subscribe(id: 7, params, into: &writer)
        case .unsubscribe(let name): RequestEncoder.unsubscribe(id: 7, name: name, into: &writer)
        case .query(let params): RequestEncoder.query(id: 7, params, into: &writer)
        case .write(let params):
            RequestEncoder.write(id: 7, txn: params.txn, changes: params.entries.map(ChangeSpec.init(entry:)), into: &writer)
        case .findUser, .invite, .admin: break
        }
    }
}

extension ChangeSpec {
    fileprivate init(entry: EntrySpec) {
        func named(_ values: FieldValues, _ className: ClassName) -> Fields {
            values.map { (className.schema.fields[$0.place].name, $0.value) }
        }
        switch entry {
        case .create(let name, let values): self = .create(name, named(values, name))
        case .update(let name, let key, let set, let condition):
            self = .update(name, id: key, set: named(set, name), condition: named(condition, name))
        case .upsert(let name, let values): self = .upsert(name, named(values, name))
        case .delete(let name, let key, let condition): self = .delete(name, id: key, condition: named(condition, name))
        case .grant(let userName, let values, let isUpsert):
            let fields = named(values, .permission) + [("userName", .string(userName))]
            self = isUpsert ? .upsert(.permission, fields) : .create(.permission, fields)
        case .move(let key, let place): self = .move(id: key, to: place)
        case .updateMatching(let name, let filter, let args, let set):
            self = .updateMatching(name, filter: filter, args: args, set: named(set, name))
        case .deleteMatching(let name, let filter, let args): self = .deleteMatching(name, filter: filter, args: args)
        }
    }
}

/// The answer is JSON again, and a client reads the same error in it.
private func verify(_ error: ErrorResponse, _ id: RequestID) {
    require(Reason(rawValue: error.reason) != nil, "an undeclared reason \(error.reason)")
    require(error.message.utf8.count < 1000, "the message has \(error.message.utf8.count) bytes")
    let text = encoded { MessageEncoder.error(id, error, into: &$0) }
    text.withUnsafeBytes { bytes in
        guard case .failure(_, let found)? = try? answers.decode(bytes, context: NoQueries()) else {
            fatalError("the answer can't be read: \(String(decoding: text, as: UTF8.self))")
        }
        require(found.code == error.code.rawValue && found.path == error.path && found.message == error.message, "another error: \(found)")
    }
}

private func verify(_ request: Incoming.Request) {
    switch request.body {
    case .invalid(let error):
        require(error.code == .invalidRequest && !request.id.isAbsent, "an undeclared outcome \(error)")
        verify(error, request.id)
    case .unknownMethod(let name):
        require(Method(rawValue: name) == nil, "the method \(name) is known")
        verify(.unknownMethod(name), request.id)
    case .badParams(_, let error):
        require(error.code == .invalidParams || error.code == .limit, "an undeclared outcome \(error)")
        verify(error, request.id)
    case .call(let call): verify(call)
    }
}

/// What was read is written as a client would write it, is read again, and is the same.
private func verify(_ call: Call) {
    guard let text = TodoFuzz.request(call) else { return }
    text.withUnsafeBytes { bytes in
        guard case .single(let again) = decoder.decode(bytes), again.id == .raw("7"), case .call(let sameCall) = again.body else {
            fatalError("the call can't be written: \(String(decoding: text, as: UTF8.self))")
        }
        require(TodoFuzz.request(sameCall) == text, "the call changes when it is written: \(String(decoding: text, as: UTF8.self))")
    }
}

/// A message of a client: what is refused can be answered, what is taken can be written again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessages(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    // A parser's old buffers would hide that it reads what it did not write; those of a new one are poisoned.
    var fresh = MessageDecoder()
    let first = fresh.decode(bytes)
    let outcome = decoder.decode(bytes)
    switch (first, outcome) {
    case (.refused(let one), .refused(let other)): require(one == other, "\(one) and then \(other)")
    case (.single, .single): break
    case (.batch(let some), .batch(let others)): require(some.count == others.count, "\(some.count) and then \(others.count) requests")
    default: fatalError("a used decoder reads the message otherwise")
    }
    switch outcome {
    case .refused(let error):
        require([.parse, .limit, .invalidRequest].contains(error.code), "an undeclared outcome \(error)")
        verify(error, .null)
    case .single(let request): verify(request)
    case .batch(let requests):
        require((1...100).contains(requests.count), "a batch of \(requests.count)")
        for request in requests { verify(request) }
    }
    return 0
}
