public import Bytes
internal import Todo

extension MessageEncoder {
    /// The result of `sessions`, with whether there is a password to change: an optional member without a value is null.
    public static func sessions(_ id: RequestID, _ sessions: [SessionInfo], hasPassword: Bool, into writer: inout JSONWriter) {
        result(id, &writer) { writer in
            writer.key("sessions")
            writer.beginArray()
            for session in sessions { self.session(session, &writer) }
            writer.endArray()
            writer.key("hasPassword")
            writer.value(hasPassword)
        }
    }

    private static func session(_ session: SessionInfo, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.value(session.id)
        writer.key("created")
        writer.value(.date(session.created))
        writer.key("lastSeen")
        writer.value(.date(session.lastSeen))
        writer.key("expiresAt")
        writer.value(.date(session.expiresAt))
        writer.key("userAgent")
        writer.optional(session.userAgent)
        writer.key("address")
        writer.optional(session.address)
        writer.key("current")
        writer.value(session.isCurrent)
        writer.endObject()
    }
}
