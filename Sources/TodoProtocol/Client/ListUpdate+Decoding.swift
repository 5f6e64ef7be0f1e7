internal import Bytes
internal import Todo

extension InitialPart {
    init(_ json: JSONValue, _ context: borrowing some MessageContext & ~Copyable) throws(ServerMessageFault) {
        name = try json.needed("name").neededText()
        guard let className = context.className(ofSubscription: name) else {
            throw ServerMessageFault(message: "An 'initial' names the list '\(name)', to which this client has not subscribed.")
        }
        index = try json.needed("index").neededIndex()
        objects = try json.needed("objects").objects(of: className)
        isComplete = try json.needed("state").isString("complete")
        version = json["version"]?.int64
    }
}

extension ChangeMessage {
    init(_ json: JSONValue, _ context: borrowing some MessageContext & ~Copyable) throws(ServerMessageFault) {
        version = try json.needed("version").neededInteger()
        by = try json["by"]?.optionalTexts().compactMap { $0 } ?? []
        let elements = try json.needed("updates").neededElements()
        updates = []
        updates.reserveCapacity(elements.count)
        for element in elements { updates.append(try ListUpdate(element, context)) }
    }
}

extension ListUpdate {
    fileprivate init(_ json: JSONValue, _ context: borrowing some MessageContext & ~Copyable) throws(ServerMessageFault) {
        name = try json.needed("name").neededText()
        guard let className = context.className(ofSubscription: name) else {
            throw ServerMessageFault(message: "A 'change' names the list '\(name)', to which this client has not subscribed.")
        }
        let members = try json.neededMembers()
        for (key, value) in members {
            switch key {
            case "deletions":
                let elements = try value.neededElements()
                deletions.reserveCapacity(elements.count)
                for element in elements { deletions.append(try element.neededIndex()) }
            case "insertions":
                let elements = try value.neededElements()
                insertions.reserveCapacity(elements.count)
                for element in elements { insertions.append(try Insertion(element, of: className)) }
            case "modifications":
                let elements = try value.neededElements()
                modifications.reserveCapacity(elements.count)
                for element in elements { modifications.append(try Modification(element, of: className)) }
            case "state": isComplete = value.isString("complete")
            default: break
            }
        }
    }
}

extension ListUpdate.Insertion {
    fileprivate init(_ json: JSONValue, of className: ClassName) throws(ServerMessageFault) {
        index = try json.needed("index").neededIndex()
        if let object = json["object"] {
            row = .object(try object.object(of: className))
        } else {
            row = .moved(from: try json.needed("from").neededIndex(), set: try json["set"]?.values(of: className) ?? [])
        }
    }
}

extension ListUpdate.Modification {
    fileprivate init(_ json: JSONValue, of className: ClassName) throws(ServerMessageFault) {
        index = try json.needed("index").neededIndex()
        from = try json["from"]?.neededIndex() ?? index
        set = try json.needed("set").values(of: className)
    }
}
