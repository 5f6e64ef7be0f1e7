import Bytes

/// What one session may cost: how many of its requests wait, and how much of what it was answered.
extension Hub {
    /// Reports to the session's loop what no longer waits, a quarter of what may at a time: that costs next to nothing, and the loop goes on
    /// reading before the rest is done.
    func countWorked(_ work: Work, _ session: Session) {
        session.worked.requests += 1
        session.worked.bytes += work.bytes
        guard session.isOpen else { return }
        let isLoggedIn = session.login != nil
        let room = settings.limits.queue(isLoggedIn: session.worked.isLoggedIn)
        guard
            isLoggedIn != session.worked.isLoggedIn || session.worked.requests >= max(1, room.requests / 4)
                || session.worked.bytes >= max(1, room.bytes / 4)
        else { return }
        session.worked.isLoggedIn = isLoggedIn
        outbox.worked(session.id, session.worked)
        session.worked.requests = 0
        session.worked.bytes = 0
    }

    func deliver(_ message: SharedBytes, to session: Session, isPart: Bool = false, isShared: Bool = false) {
        deliver(.text(message), to: session, isPart: isPart, isShared: isShared)
    }

    func deliver(_ message: Outgoing, to session: Session, isPart: Bool = false, isShared: Bool = false) {
        guard session.isOpen else { return }
        let reportsDrained = session.outbound.send(message.byteCount, isPart: isPart, bytesMax: settings.limits.outboundBytes)
        if session.outbound.isOverdrawn { overdrawn.insert(session.id) }
        outbox.append(message, to: session.id, reportsDrained: reportsDrained, isShared: isShared)
    }

    /// The session's socket has taken a message that was to be reported.
    func noteDrained(_ session: Session) {
        if session.outbound.drained(bytesMax: settings.limits.outboundBytes) {
            session.isDraining = false
            sendParts(session)
        }
        schedule(session)
    }

    /// Whoever has requests waiting because it does not take their answers is treated as any slow reader from the next tick on: it has to take
    /// something within its time, or is closed.
    func watchOverdrawn() {
        guard !overdrawn.isEmpty else { return }
        overdrawn = overdrawn.filter { sessions[$0]?.outbound.isOverdrawn == true }
        for id in overdrawn {
            if let session = sessions[id], !session.isSlow, session.work.count > 0 { outbox.watch(id) }
        }
    }
}
