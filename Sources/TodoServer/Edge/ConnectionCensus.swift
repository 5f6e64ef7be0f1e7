import Network
import Synchronization

/// Counts the connections of all loops, in all and by the network they come from: one dictionary, and eight bytes a connection.
///
/// Who is refused is still answered, for which it needs a connection, and so is who asks how the server is; so that this is bounded too, some more than the
/// limit are let in for one answer, and beyond those a connection is closed without a word.
final class ConnectionCensus: Sendable {
    /// What becomes of a connection.
    enum Verdict: Equatable {
        case admitted
        /// There are as many in all as there may be; it was counted, so that it can be told so.
        case refusedInAll
        /// There are as many from this address as there may be; it was counted, so that it can be told so.
        case refusedByAddress
        /// Not even an answer: it was not counted.
        case dropped
    }

    /// A connection's place in the count; to be given back by `leave` once.
    struct Place: Equatable {
        /// The network it counts for; 0, which is nobody's, where it counts for none.
        fileprivate(set) var network: UInt64 = 0
    }

    private struct State {
        var total = 0
        var byNetwork: [UInt64: Int] = [:]
    }

    private let connectionsMax: Int
    private let perAddressMax: Int
    private let state = Mutex(State())

    /// How many more are let in to be told that they are too many.
    private static let refusalsMax = 64

    init(connectionsMax: Int, perAddressMax: Int) {
        self.connectionsMax = connectionsMax
        self.perAddressMax = perAddressMax
    }

    /// Counts a connection.
    ///
    /// - Parameter address: whom it counts for beside all; nil for none. Loopback is not counted by address: that is this machine's own proxy, or a test.
    func enter(from address: IPAddress?) -> (verdict: Verdict, place: Place) {
        let network = Self.network(of: address)
        return state.withLock { state in
            let before = state.byNetwork[network] ?? 0
            let isOverAddress = network != 0 && before >= perAddressMax
            let isOverAll = state.total >= connectionsMax
            let isDropped =
                state.total >= connectionsMax + Self.refusalsMax || (network != 0 && before >= perAddressMax + Self.refusalsMax)
            if isDropped { return (.dropped, Place()) }
            state.total += 1
            if network != 0 { state.byNetwork[network] = before + 1 }
            return (isOverAddress ? .refusedByAddress : isOverAll ? .refusedInAll : .admitted, Place(network: network))
        }
    }

    /// Counts a connection that is in for another address as well, which a trusted proxy has named.
    ///
    /// - Returns: false, and nothing changes, if there are as many from there as there may be.
    func count(_ place: inout Place, for address: IPAddress) -> Bool {
        let network = Self.network(of: address, exceptsLoopback: false)
        return state.withLock { state in
            let before = state.byNetwork[network] ?? 0
            guard before < perAddressMax else { return false }
            release(place.network, &state)
            state.byNetwork[network] = before + 1
            place.network = network
            return true
        }
    }

    /// Forgets a connection.
    func leave(_ place: Place) {
        state.withLock { state in
            state.total -= 1
            release(place.network, &state)
        }
    }

    /// How many there are.
    var total: Int { state.withLock { $0.total } }

    /// How many addresses have at least one that is counted for them.
    var networks: Int { state.withLock { $0.byNetwork.count } }

    private func release(_ network: UInt64, _ state: inout State) {
        guard network != 0, let count = state.byNetwork[network] else { return }
        state.byNetwork[network] = count > 1 ? count - 1 : nil
    }

    private static func network(of address: IPAddress?, exceptsLoopback: Bool = true) -> UInt64 {
        guard let address, !(exceptsLoopback && address.isLoopback) else { return 0 }
        // `::1` is in the network 0, which stands for none here.
        return max(address.network, 1)
    }
}
