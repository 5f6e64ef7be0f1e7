/// What the event loop knows of one connection: its transport, what it watches, what waits to be written, its deadline.
struct Channel: ~Copyable {
    struct Flags: OptionSet {
        var rawValue: UInt16

        /// An outgoing connection that the peer has not accepted yet.
        static var connecting: Flags { Flags(rawValue: 1) }
        /// Listed for the write at the end of the turn.
        static var dirty: Flags { Flags(rawValue: 2) }
        /// The socket is full: wait until it is writable.
        static var blocked: Flags { Flags(rawValue: 4) }
        /// The owner does not want to read at present.
        static var paused: Flags { Flags(rawValue: 8) }
        /// The peer has ended its side.
        static var peerEnded: Flags { Flags(rawValue: 16) }
        /// To be closed when all is written; nothing more is accepted, what is read is thrown away.
        static var finishing: Flags { Flags(rawValue: 32) }
        /// Our side has ended; waits for the peer's end.
        static var lingering: Flags { Flags(rawValue: 64) }
        /// Over: only the notice to the owner is outstanding.
        static var closed: Flags { Flags(rawValue: 128) }
        /// The owner has been told that too much waits, and not yet that it has been written.
        static var overflowed: Flags { Flags(rawValue: 256) }
        /// Its bytes are encrypted.
        static var secure: Flags { Flags(rawValue: 512) }
        /// The encrypted session is not established: what is sent waits.
        static var handshaking: Flags { Flags(rawValue: 1024) }
        /// Nothing is read before what waits has been written.
        static var choked: Flags { Flags(rawValue: 2048) }
        /// The owner wants to be told when nothing waits any more.
        static var tellsEmpty: Flags { Flags(rawValue: 4096) }
    }

    /// What a peer has to take at least within the time for its end to be given as much again: too little is no progress.
    static var unsentUnitBytes: Int { 8 << 10 }

    var transport: Transport
    var flags: Flags = []
    /// How much the peer had yet to take when the time for its end was last over, in units of `unsentUnitBytes`.
    var unsentUnits = UInt16.max
    /// What epoll watches the socket for.
    var interest: Interest
    var queue = OutboundQueue()
    /// When the owner wants to be told.
    var deadline = Instant.distantFuture
    /// The entry in the heap that counts; others of this connection are stale.
    var scheduled = Instant.distantFuture

    init(transport: consuming Transport, interest: Interest) {
        self.transport = transport
        self.interest = interest
    }

    /// What the socket should be watched for, given the flags.
    var wantedInterest: Interest {
        if flags.contains(.connecting) { return .writable }
        var wanted: Interest = flags.contains(.blocked) ? .writable : []
        if flags.isDisjoint(with: [.peerEnded, .choked]), !flags.contains(.paused) || !flags.isDisjoint(with: [.finishing, .handshaking]) {
            wanted.insert(.readable)
        }
        return wanted
    }

    /// Whether what the owner sends is accepted.
    var takesOutput: Bool { flags.isDisjoint(with: [.finishing, .closed]) }
}
