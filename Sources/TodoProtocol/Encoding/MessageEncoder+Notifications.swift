public import Bytes
public import Todo

/// Notifications. A `change` is put together from fragments, one a list, so that sessions which share a list share its encoding.
extension MessageEncoder {
    /// One part of a first list, from `index` on. `version` is what the whole list reflects, given with its last part; without it
    /// more parts follow.
    public static func initial(
        name: String, index: Int, objects: ArraySlice<Object>, completeAt version: Int64?, into writer: inout JSONWriter
    ) {
        beginInitial(name, index, &writer)
        writer.objects(objects)
        endInitial(version, &writer)
    }

    /// The same from rows that are encoded already, by `objects(_:into:)`.
    public static func initial(
        name: String, index: Int, fragment: SharedBytes, completeAt version: Int64?, into writer: inout JSONWriter
    ) {
        beginInitial(name, index, &writer)
        writer.raw(fragment)
        endInitial(version, &writer)
    }

    /// A fragment: the array of the objects, for `initial(name:index:fragment:completeAt:into:)`.
    public static func objects(_ objects: ArraySlice<Object>, into writer: inout JSONWriter) {
        writer.objects(objects)
    }

    /// A fragment: what a commit did to the list of that name, for `change(version:by:updates:into:)`. Empty arrays are left out.
    /// `isComplete` marks the answer to `since`.
    public static func update(name: String, _ diff: ListDiff, isComplete: Bool = false, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("name")
        writer.value(name)
        if !diff.deletions.isEmpty {
            writer.key("deletions")
            writer.beginArray()
            for index in diff.deletions { writer.value(index) }
            writer.endArray()
        }
        if !diff.insertions.isEmpty {
            writer.key("insertions")
            writer.beginArray()
            for insertion in diff.insertions { self.insertion(insertion, &writer) }
            writer.endArray()
        }
        if !diff.modifications.isEmpty {
            writer.key("modifications")
            writer.beginArray()
            for modification in diff.modifications { self.modification(modification, &writer) }
            writer.endArray()
        }
        if isComplete { state(true, &writer) }
        writer.endObject()
    }

    /// What commits up to `version` did to the lists of one session; `by` are the writers, of whom at most ten are named.
    public static func change(version: Int64, by writers: [String], updates: [SharedBytes], into writer: inout JSONWriter) {
        begin("\"jsonrpc\":\"2.0\",\"method\":\"change\",\"params\":", &writer)
        writer.key("version")
        writer.value(version)
        writer.key("by")
        writer.beginArray()
        for name in writers.prefix(writersMax) { writer.value(name) }
        writer.endArray()
        writer.key("updates")
        writer.beginArray()
        for update in updates { writer.raw(update) }
        writer.endArray()
        end(&writer)
    }

    /// How many writers a `change` names at most.
    public static let writersMax = 10

    /// A subscription has ended because the server can no longer serve it.
    public static func subscriptionEnded(name: String, _ error: ErrorResponse, into writer: inout JSONWriter) {
        begin("\"jsonrpc\":\"2.0\",\"method\":\"error\",\"params\":", &writer)
        writer.key("name")
        writer.value(name)
        writer.key("code")
        writer.value(error.code.rawValue)
        writer.key("message")
        writer.value(error.message)
        end(&writer)
    }

    private static func insertion(_ insertion: ListDiff.Insertion, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("index")
        writer.value(insertion.index)
        if let from = insertion.from, let old = insertion.old {
            writer.key("from")
            writer.value(from)
            writer.key("set")
            writer.changedFields(from: old, to: insertion.object)
        } else {
            writer.key("object")
            writer.object(insertion.object)
        }
        writer.endObject()
    }

    private static func modification(_ modification: ListDiff.Modification, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("index")
        writer.value(modification.index)
        if modification.from != modification.index {
            writer.key("from")
            writer.value(modification.from)
        }
        writer.key("set")
        writer.changedFields(from: modification.old, to: modification.new)
        writer.endObject()
    }

    private static func beginInitial(_ name: String, _ index: Int, _ writer: inout JSONWriter) {
        begin("\"jsonrpc\":\"2.0\",\"method\":\"initial\",\"params\":", &writer)
        writer.key("name")
        writer.value(name)
        writer.key("index")
        writer.value(index)
        writer.key("objects")
    }

    private static func endInitial(_ version: Int64?, _ writer: inout JSONWriter) {
        state(version != nil, &writer)
        if let version {
            writer.key("version")
            writer.value(version)
        }
        end(&writer)
    }

    private static func begin(_ head: StaticString, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.bytes.append(head)
        writer.beginObject()
    }

    private static func end(_ writer: inout JSONWriter) {
        writer.endObject()
        writer.endObject()
    }
}
