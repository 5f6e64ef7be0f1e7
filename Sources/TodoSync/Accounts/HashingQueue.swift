/// How many passwords wait to be hashed, in all and by address: past its bounds a log-in is refused at once instead of waiting for longer
/// than a connection is given to log in.
struct HashingQueue {
    private var count = 0
    private var byAddress: [AddressBlock?: Int] = [:]

    /// A place for one more from that address.
    ///
    /// - Returns: the seconds to wait where there is none.
    mutating func enter(_ address: String, _ limits: SyncLimits) -> Int? {
        let block = AddressBlock(address)
        guard count < limits.hashingQueue, byAddress[block, default: 0] < limits.hashingQueueOfAddress else {
            // About 20 a second are hashed.
            return 1 + count / 20
        }
        count += 1
        byAddress[block, default: 0] += 1
        return nil
    }

    /// One of that address is done.
    mutating func leave(_ address: String) {
        count -= 1
        let block = AddressBlock(address)
        let left = byAddress[block, default: 1] - 1
        if left > 0 { byAddress[block] = left } else { byAddress.removeValue(forKey: block) }
    }
}
