public import Bytes
public import Todo

/// An invitation as its makers see it.
public struct InviteResult: Sendable {
    /// The invitation's id, by which it is revoked.
    public var inviteId: String
    /// The secret that is given on: only where it was just made.
    public var code: String?
    /// The project.
    public var projectId: String
    /// What it allows there.
    public var role: Role
    /// Who made it.
    public var createdBy: String
    /// When it was made.
    public var createdAt: Timestamp
    /// From when on it does not hold.
    public var expiresAt: Timestamp
    /// How many may still take it.
    public var uses: Int

    /// An invitation.
    public init(
        inviteId: String, code: String?, projectId: String, role: Role, createdBy: String, createdAt: Timestamp, expiresAt: Timestamp,
        uses: Int
    ) {
        self.inviteId = inviteId
        self.code = code
        self.projectId = projectId
        self.role = role
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.uses = uses
    }
}

/// One connection as `admin.sessions` shows it.
public struct SessionResult: Sendable {
    /// Its id, by which it is disconnected.
    public var sessionId: String
    /// Who is logged in on it.
    public var userId: String?
    /// From where it comes.
    public var address: String
    /// What the client calls itself.
    public var userAgent: String?
    /// When it was opened.
    public var openedAt: Timestamp
    /// How many live queries it has.
    public var subscriptions: Int

    /// A connection.
    public init(sessionId: String, userId: String?, address: String, userAgent: String?, openedAt: Timestamp, subscriptions: Int) {
        self.sessionId = sessionId
        self.userId = userId
        self.address = address
        self.userAgent = userAgent
        self.openedAt = openedAt
        self.subscriptions = subscriptions
    }
}

/// The results of the methods for sharing and for admins.
extension MessageEncoder {
    /// The result of `findUser`.
    public static func user(_ id: RequestID, _ user: Object, into writer: inout JSONWriter) {
        result(id, &writer) { writer in
            writer.key("user")
            writer.object(user)
        }
    }

    /// The result of `invite.create`.
    public static func invite(_ id: RequestID, _ invite: InviteResult, into writer: inout JSONWriter) {
        result(id, &writer) { writer in members(of: invite, &writer) }
    }

    /// The result of `invite.list`.
    public static func invites(_ id: RequestID, _ invites: [InviteResult], into writer: inout JSONWriter) {
        result(id, &writer) { writer in
            writer.key("invites")
            writer.beginArray()
            for invite in invites {
                writer.beginObject()
                members(of: invite, &writer)
                writer.endObject()
            }
            writer.endArray()
        }
    }

    /// The result of `invite.accept`.
    public static func joined(_ id: RequestID, projectId: String, into writer: inout JSONWriter) {
        result(id, &writer) { writer in
            writer.key("projectId")
            writer.value(projectId)
        }
    }

    /// The result of `admin.stats` and `admin.disconnect`: numbers by name.
    public static func numbers(_ id: RequestID, _ numbers: [(name: String, value: Int)], into writer: inout JSONWriter) {
        result(id, &writer) { writer in
            for number in numbers {
                writer.key(escaping: number.name)
                writer.value(number.value)
            }
        }
    }

    /// The result of `admin.users`: each user with the connections that are open.
    public static func users(_ id: RequestID, _ users: [(user: Object, sessions: Int)], count: Int, into writer: inout JSONWriter) {
        result(id, &writer) { writer in
            writer.key("count")
            writer.value(count)
            writer.key("users")
            writer.beginArray()
            for (user, sessions) in users {
                writer.beginObject()
                for (place, field) in user.className.schema.fields.prefix(user.className.schema.shownCount).enumerated() {
                    writer.key(escaping: field.name)
                    writer.value(user[place])
                }
                writer.key("sessions")
                writer.value(sessions)
                writer.endObject()
            }
            writer.endArray()
        }
    }

    /// The result of `admin.sessions`.
    public static func sessions(_ id: RequestID, _ sessions: [SessionResult], into writer: inout JSONWriter) {
        result(id, &writer) { writer in
            writer.key("sessions")
            writer.beginArray()
            for session in sessions { self.session(session, &writer) }
            writer.endArray()
        }
    }

    private static func session(_ session: SessionResult, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("sessionId")
        writer.value(session.sessionId)
        writer.key("userId")
        writer.optional(session.userId)
        writer.key("address")
        writer.value(session.address)
        writer.key("userAgent")
        writer.optional(session.userAgent)
        writer.key("openedAt")
        writer.value(.date(session.openedAt))
        writer.key("subscriptions")
        writer.value(session.subscriptions)
        writer.endObject()
    }

    private static func members(of invite: InviteResult, _ writer: inout JSONWriter) {
        writer.key("inviteId")
        writer.value(invite.inviteId)
        if let code = invite.code {
            writer.key("code")
            writer.value(code)
        }
        writer.key("projectId")
        writer.value(invite.projectId)
        writer.key("role")
        writer.value(invite.role.name)
        writer.key("createdBy")
        writer.value(invite.createdBy)
        writer.key("createdAt")
        writer.value(.date(invite.createdAt))
        writer.key("expiresAt")
        writer.value(.date(invite.expiresAt))
        writer.key("uses")
        writer.value(invite.uses)
    }
}
