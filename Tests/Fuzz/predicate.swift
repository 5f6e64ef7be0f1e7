import Todo

private func object(_ className: ClassName, _ values: [String: Value]) -> Object {
    Object(className, className.schema.fields.map { values[$0.name] ?? .null })
}

private let sampleProject = object(
    .project,
    [
        "projectId": .string("p1"), "owner": .string("u1"), "name": .string("Crème Brûlée"),
        "timestamp": .date(Timestamp(milliseconds: 0)), "itemCount": .integer(2), "openCount": .integer(1), "access": .string("private"),
    ])

private func item(_ key: String, _ values: [String: Value] = [:]) -> Object {
    object(
        .item,
        [
            "itemId": .string(key), "projectId": .string("p1"), "body": .string(""), "isDone": .boolean(false),
            "timestamp": .date(Timestamp(milliseconds: 0)), "notes": .string(""), "priority": .integer(0), "position": .string("a"),
            "createdBy": .string("u1"), "attachments": .strings([]),
        ].merging(values) { $1 })
}

private let sampleItems = [
    item("i1"),
    item(
        "i2",
        [
            "body": .string("Straße e\u{301} 👩‍👩‍👧 aaaaab"), "notes": .string("abcaabcaab"),
            "isDone": .boolean(true),
            "priority": .integer(2), "assignee": .string("u2"), "dueDate": .date(Timestamp(milliseconds: 1_796_000_523_123)),
            "attachments": .strings(["x1", "x2"]),
        ]),
]

/// A long text shows whether the time that a test takes is bounded.
private let longItem = item("i3", ["notes": .string(String(repeating: "abcaab", count: 1000) + "Straße")])

private struct Related: RelatedObjects {
    func project(_ projectId: String) -> Object? { projectId == "p1" ? sampleProject : nil }
    func items(ofProject projectId: String) -> [Object] { projectId == "p1" ? sampleItems : [] }
}

private let arguments: [Argument] = [
    .value(.string("u1")), .value(.integer(2)), .value(.double(2.5)), .value(.null), .value(.boolean(true)),
    .value(.string("2026-11-30T12:00:00Z")), .array([.integer(0), .double(2.5)]), .array([.string("u1"), .null]), .array([]),
]

private func verify(_ refusal: Refusal, _ text: String) {
    switch refusal.kind {
    case .invalid:
        require(refusal.path == "filter" || refusal.path?.hasPrefix("args[") == true, "the refusal's path is \(refusal.path ?? "nil")")
    case .limit(_, let maximum): require(maximum > 0, "a limit of \(maximum)")
    default: fatalError("an undeclared refusal \(refusal)")
    }
    require(!refusal.message.isEmpty && refusal.message.utf8.count < 1000, "the message has \(refusal.message.utf8.count) bytes")
    if let position = refusal.position { require((0...text.utf8.count).contains(position), "the position \(position) is outside the text") }
}

/// A predicate on sample objects: it is refused with a place and a sentence, or matches in bounded time.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPredicate(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let choice = input.choice()
    let className = choice & 1 == 0 ? ClassName.item : .project
    let text = String(decoding: input.bytes, as: UTF8.self)
    do throws(Refusal) {
        let predicate = try Predicate.parse(text, of: className, args: arguments, user: "u1")
        let subjects = className == .project ? [sampleProject] : choice & 2 == 0 ? sampleItems : [longItem]
        for subject in subjects {
            let holds = predicate.matches(subject, related: Related())
            // There are two truth values: negation turns the outcome around, unless it goes past a limit.
            if let negated = try? Predicate.parse("NOT (\(text))", of: className, args: arguments, user: "u1") {
                require(negated.matches(subject, related: Related()) != holds, "neither \(text) nor its negation holds, or both")
            }
        }
        let again = try Predicate.parse(text, of: className, args: arguments, user: "u1")
        require(again == predicate && again.hashValue == predicate.hashValue, "the same text is not equal to itself")
    } catch {
        verify(error, text)
    }
    return 0
}
