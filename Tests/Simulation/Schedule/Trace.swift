/// What happened, in one number, so that two runs can be told apart; and in words for whoever looks for a fault.
struct Trace {
    var tell: ((String) -> Void)?
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    /// How often each kind of thing happened.
    private(set) var counts: [String: Int] = [:]

    /// FNV-1a over the words.
    mutating func note(_ kind: String, _ details: String, at time: Int64) {
        counts[kind, default: 0] += 1
        let line = "\(time) \(kind) \(details)"
        for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        tell?(line)
    }
}
