import Bytes
import Todo
import TodoProtocol
import TodoStore

/// First lists on their way to clients, in parts. Other threads encode them: what the committer does for a part is the same however large the part
/// and the list are.
extension Hub {
    /// Sends the rows as they are now, in parts, from an empty list on.
    func startSending(_ subscription: Subscription) {
        guard let live = subscription.list.live else { return }
        let session = subscription.session
        endWait(subscription)
        subscription.state = .sending(firstList(subscription, live), next: 0, version: store.version)
        subscription.journal = Journal()
        if !session.unsent.contains(where: { $0 === subscription }) { session.unsent.append(subscription) }
        sendParts(session)
    }

    /// The list's rows as they are now: the same for all who begin before it changes.
    private func firstList(_ subscription: Subscription, _ live: LiveList) -> FirstList {
        let list = subscription.list
        if subscription.isSighted, let known = list.first { return known }
        firstLists += 1
        let first = FirstList(subscription.isSighted ? live.present : ListWindow(query: list.query, rows: []), number: firstLists)
        if subscription.isSighted { list.first = first }
        return first
    }

    /// Sends parts until the socket has to take one first, or one has to be encoded; other traffic goes on between them.
    func sendParts(_ session: Session) {
        guard session.behindSince == nil else { return }
        while session.isOpen, !session.isDraining, !session.awaitsPart, let subscription = session.unsent.first {
            guard case .sending(let first, let next, let version) = subscription.state else {
                session.unsent.removeFirst()
                continue
            }
            let isShared = subscription.list.subscriptions.count > 1 && first.rows.count > 0
            guard let part = part(of: first, from: next, version, subscription, isShared: isShared) else { return }
            let isLast = part.end == first.rows.count
            session.isDraining = !isLast || part.message.byteCount > Self.smallPart
            deliver(part.message, to: session, isPart: session.isDraining, isShared: isShared)
            if isLast {
                session.unsent.removeFirst()
                complete(subscription)
            } else {
                subscription.state = .sending(first, next: part.end, version: version)
            }
        }
    }

    /// The next part, or `nil` where another thread is at it.
    private func part(of first: FirstList, from start: Int, _ version: Int64, _ subscription: Subscription, isShared: Bool) -> EncodedPart?
    {
        let key = PartKey(list: first.number, name: subscription.name, start: start, completeAt: first.lastStart == start ? version : nil)
        if let arrived = arrivedPart, arrived.key == key { return arrived }
        if let known = parts[key] { return known }
        let encoder = PartEncoder(rowsMax: settings.limits.partRows, bytesMax: settings.limits.partBytes)
        if isSmall(first.rows, from: start) {
            let part = encoder.part(of: first.rows, list: first.number, name: subscription.name, from: start, version: version)
            take(part, first, isShared: isShared)
            return part
        }
        subscription.session.awaitsPart = true
        guard partsUnderWay[key]?.append(subscription.session.id) == nil else { return nil }
        partsUnderWay[key] = [subscription.session.id]
        encode(key, first, version, of: subscription.list, with: encoder)
        return nil
    }

    /// Whether what is left of the list is quickly encoded: that takes less than to have another thread do it.
    private func isSmall(_ rows: ListWindow, from start: Int) -> Bool {
        rows.count - start <= settings.limits.partRowsAtOnce
            && rows[start..<rows.count].reduce(0) { $0 + $1.approximateBytes } <= Self.smallPart
    }

    private func encode(_ key: PartKey, _ first: FirstList, _ version: Int64, of list: SharedList, with encoder: PartEncoder) {
        let ticket = jobBook.open { [unowned self, weak first, weak list] outcome in
            guard case .encoded(let part) = outcome else { preconditionFailure("a part was encoded and something else came of it") }
            let sessions = partsUnderWay.removeValue(forKey: key) ?? []
            if let first { take(part, first, isShared: (list?.subscriptions.count ?? 0) > 1) }
            arrivedPart = part
            for id in sessions {
                guard let session = self.sessions[id] else { continue }
                session.awaitsPart = false
                sendParts(session)
            }
            arrivedPart = nil
        }
        let rows = first.rows
        jobs.submit(.encoding) {
            Finished(
                ticket: ticket,
                outcome: .encoded(encoder.part(of: rows, list: key.list, name: key.name, from: key.start, version: version)))
        }
    }

    /// Notes what a part tells of its list, and keeps it for others.
    private func take(_ part: EncodedPart, _ first: FirstList, isShared: Bool) {
        figures.parts += 1
        if part.key.completeAt != nil { first.lastStart = part.key.start }
        if isShared { parts.insert(part, bytesMax: settings.limits.sharedPartsBytes) }
    }

    /// Forgets the encoded parts of first lists that have gone out to everybody.
    func forgetSentParts() {
        guard !parts.isEmpty else { return }
        var used: Set<Int> = []
        for session in sessions.values {
            for subscription in session.unsent {
                if case .sending(let first, _, _) = subscription.state { used.insert(first.number) }
            }
        }
        parts.forgetUnused(keeping: used)
    }

    /// Parts up to this size, in bytes, may follow each other without waiting for the socket.
    private static let smallPart = 16_384

    /// The client has the rows of the version that the first list began with: one change brings it up to now.
    private func complete(_ subscription: Subscription) {
        subscription.state = .complete
        let journal = subscription.journal ?? Journal()
        subscription.journal = nil
        guard let diff = subscription.list.live?.diff(from: journal) else { return }
        sendUpdates([text { writer in MessageEncoder.update(name: subscription.name, diff, into: &writer) }], to: subscription.session)
    }

    func sendUpdates(_ updates: [SharedBytes], by: [String] = [], to session: Session) {
        let version = store.version
        deliver(text { writer in MessageEncoder.change(version: version, by: by, updates: updates, into: &writer) }, to: session)
    }
}
