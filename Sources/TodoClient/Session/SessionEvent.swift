public import TodoProtocol

/// What bytes of the server meant for a client's session.
public enum SessionEvent: Sendable {
    /// The connection is upgraded, and where this session was logged in before, it is so again: requests are sent from now on.
    case opened
    /// The server refused the upgrade with that HTTP status, 0 where its answer was none. Close the socket.
    case refused(status: Int, String)
    /// The result of a request. The lists are as the result implies.
    case result(id: Int64, ServerResult)
    /// A request failed. Without an id, the server could not read a message.
    case failure(id: Int64?, ServerError)
    /// A part of a first list has been put into its replica.
    case initial(name: String, isComplete: Bool)
    /// The change has been applied to the replicas that it names.
    case change(ChangeMessage)
    /// A subscription has ended; its replica is gone.
    case subscriptionEnded(name: String, ServerError)
    /// The token is not taken any more on a new connection: the session is not logged in, and its lists are gone.
    case loggedOut(ServerError)
    /// The server broke the protocol; the sentence says how. A close frame has been written: send it and close the socket.
    case violated(String)
    /// The server closed the connection, or answered this side's close. Send what there is to send and close the socket.
    case closed(code: UInt16, reason: String)
}
