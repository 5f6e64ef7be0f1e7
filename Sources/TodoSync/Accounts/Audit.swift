import Bytes
import Todo

/// One line for an operator's records: who did what to whom, from where, and how it ended. Never a password, a token or a code.
///
/// It is written as `audit {"event":"login","outcome":"ok",…}`: the word, then one JSON object without line breaks. The members
/// `event` and `outcome` are always there and come first; the others are left out where they are not known. Names of members and events
/// are stable.
struct Audit {
    /// How it ended.
    enum Outcome: String {
        case ok
        case refused
        case throttled
    }

    /// What happened, such as `login`.
    var event: String
    /// How it ended.
    var outcome = Outcome.ok
    /// The id of the user who did it, or `operator`.
    var by: String?
    /// The id of the user to whom it was done.
    var user: String?
    /// The address that it came from.
    var address: String?
    /// What else belongs to it, in order.
    var details: [(name: StaticString, value: String)] = []

    /// The line, as it stands behind the time and the level.
    var line: String {
        var writer = JSONWriter()
        writer.beginObject()
        Self.member("event", event, &writer)
        Self.member("outcome", outcome.rawValue, &writer)
        Self.member("by", by, &writer)
        Self.member("user", user, &writer)
        Self.member("address", address, &writer)
        for (name, value) in details { Self.member(name, value, &writer) }
        writer.endObject()
        return "audit " + writer.finish().string
    }

    private static func member(_ name: StaticString, _ value: String?, _ writer: inout JSONWriter) {
        guard let value, !value.isEmpty else { return }
        writer.key(name)
        writer.value(value)
    }
}

extension Hub {
    /// Writes the line: what was refused as a warning, all else as information.
    func audit(_ audit: Audit) {
        log(audit.outcome == .ok ? .info : .warning, audit.line)
    }

    /// Writes that the session's user was refused something that costs the user nothing to ask for. Of each connection only so many have a
    /// line that nobody fills the log with them; the last one says so.
    func auditRefusal(_ event: String, _ session: Session, reason: String? = nil) {
        session.auditedRefusals += 1
        guard session.auditedRefusals <= Session.auditedRefusalsMax else { return }
        audit(
            Audit(
                event: event, outcome: .refused, by: session.login?.view.caller.userId, address: session.peer.address,
                details: [
                    ("reason", reason ?? ""), ("further", session.auditedRefusals == Session.auditedRefusalsMax ? "not written" : ""),
                ]))
    }
}
