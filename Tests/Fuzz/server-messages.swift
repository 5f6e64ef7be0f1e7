import Bytes
import Todo
import TodoProtocol

// libFuzzer calls from one thread; one decoder for all inputs, as in a client, shows whether it forgets.
nonisolated(unsafe) private var decoder = ServerMessageDecoder()

/// What the client has subscribed to and asked, so that every class of object can come.
private struct Context: MessageContext {
    func className(ofSubscription name: String) -> ClassName? {
        switch name {
        case "items": .item
        case "projects": .project
        case "permissions": .permission
        case "users": .user
        default: nil
        }
    }

    func className(ofRequest id: Int64) -> ClassName? { id == 5 ? .item : id == 6 ? .project : nil }
}

/// A client relies on keys and projects, and shows what it has: none of that may stop it.
private func verify(_ object: Object) {
    require(object.values.count == object.className.schema.fields.count, "an object of \(object.values.count) values")
    require(object.key.utf8.count >= 0 && object.approximateBytes > 0, "an object without a key")
    require(object.className == .user || object.projectId != nil, "an object without a project")
    var writer = JSONWriter()
    MessageEncoder.object(object, into: &writer)
    let bytes = writer.finish()
    let message = "{\"id\":\(object.className == .item ? 5 : 6),\"result\":{\"version\":1,\"objects\":[\(bytes.string)]}}"
    guard object.className == .item || object.className == .project else { return }
    Array(message.utf8).withUnsafeBytes { bytes in
        guard case .result(_, .query(_, let objects))? = try? decoder.decode(bytes, context: Context()) else {
            fatalError("the object can't be read again: \(message)")
        }
        require(objects == [object], "the object changes when it is written: \(message)")
    }
}

private func verify(_ values: FieldValues, of className: ClassName?) {
    guard let className else { return }
    for (place, _) in values { require(className.schema.fields.indices.contains(place), "a field at \(place)") }
}

private func verify(_ message: ServerMessage) {
    switch message {
    case .result(_, .query(_, let objects)): for object in objects { verify(object) }
    case .initial(let part):
        require(part.index >= 0, "the index \(part.index)")
        for object in part.objects { verify(object) }
    case .change(let change):
        for update in change.updates {
            let className = Context().className(ofSubscription: update.name)
            require(className != nil, "a list that nobody subscribed to")
            require(update.deletions.allSatisfy { $0 >= 0 }, "a deletion below 0")
            for insertion in update.insertions {
                require(insertion.index >= 0, "an insertion below 0")
                switch insertion.row {
                case .object(let object): verify(object)
                case .moved(let from, let set):
                    require(from >= 0, "a row from below 0")
                    verify(set, of: className)
                }
            }
            for modification in update.modifications {
                require(modification.index >= 0 && modification.from >= 0, "a modification below 0")
                verify(modification.set, of: className)
            }
        }
    case .batch(let messages): for message in messages { verify(message) }
    case .result, .failure, .subscriptionEnded, .other: break
    }
}

/// A message of the server, as the client library reads it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzServerMessages(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    do throws(ServerMessageFault) {
        verify(try decoder.decode(UnsafeRawBufferPointer(start: start, count: count), context: Context()))
    } catch {
        require(!error.message.isEmpty, "a fault without a sentence")
    }
    return 0
}
