/// One bound of the server: a row of `ServerLimits.table`. The flag, its help, what `info` shows and the tests of the documents come out of it.
struct Limit: Sendable {
    /// Its name in `info`, such as `messageBytes`.
    let name: String
    /// Its flag, without the dashes.
    let flag: String
    /// What the flag takes.
    let range: ClosedRange<Int>
    /// How many of the unit that `info` shows are one of the flag's: 86,400 where one counts days and the other seconds.
    let shownPerFlag: Int
    /// What it bounds, and what happens past it.
    let meaning: String
    private let read: @Sendable (ServerLimits) -> Int
    private let write: @Sendable (inout ServerLimits, Int) -> Void

    /// A row.
    ///
    /// - Parameters:
    ///   - name: as `info` shows it. The flag's name is the same in words, unless `flag` says otherwise.
    ///   - range: what the flag takes; bounds that would stop the server from working lie outside.
    ///   - path: where the value is kept.
    ///   - keptPerShown: how many of the unit that is kept are one of the unit that is shown: 1,000 where one is milliseconds and the other seconds.
    init<Number: FixedWidthInteger & Sendable>(
        _ name: String, _ range: ClosedRange<Int>, _ path: any WritableKeyPath<ServerLimits, Number> & Sendable, keptPerShown: Int = 1,
        flag: String? = nil, shownPerFlag: Int = 1, _ meaning: String
    ) {
        self.name = name
        self.flag = flag ?? Self.words(name)
        self.range = range
        self.shownPerFlag = shownPerFlag
        self.meaning = meaning
        read = { Int($0[keyPath: path]) / keptPerShown }
        write = { $0[keyPath: path] = Number($1 * keptPerShown) }
    }

    /// The value in the unit that `info` shows.
    func shown(in limits: ServerLimits) -> Int { read(limits) }

    /// The value in the flag's unit.
    func flagValue(in limits: ServerLimits) -> Int { read(limits) / shownPerFlag }

    /// Takes a value of the flag.
    func set(_ value: Int, in limits: inout ServerLimits) { write(&limits, value * shownPerFlag) }

    /// `messageBytes` as `message-bytes`.
    private static func words(_ name: String) -> String {
        String(name.flatMap { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" })
    }
}

extension Flag {
    /// The flag of a limit.
    static func limit(_ limit: Limit) -> Flag {
        let standard = limit.flagValue(in: ServerLimits())
        return .number(limit.flag, limit.range, "\(limit.meaning) (\(standard))") { limit.set($0, in: &$1.limits) }
    }
}
