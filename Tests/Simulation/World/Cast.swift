import TestSupport
import Todo

/// Who and what there can be in one random world: few enough that transactions meet.
struct Cast {
    let users: [String]
    let projects: [String]
    let items: [String]

    /// A world of a random size.
    init(_ random: inout SplitMix) {
        users = (0..<(2 + random.next(upTo: 4))).map { "u\($0)" }
        projects = (0..<(1 + random.next(upTo: 4))).map { "p\($0)" }
        items = (0..<[4, 12, 30][random.next(upTo: 3)]).map { "i\($0)" }
    }

    /// Moments that dates are drawn from.
    static let dates = [0, 1, 999, 86_400_000, 1_700_000_000_000, 1_700_000_000_001, -86_400_000].map { Timestamp(milliseconds: $0) }

    func user(_ random: inout SplitMix) -> String { users[random.next(upTo: users.count)] }
    func project(_ random: inout SplitMix) -> String { projects[random.next(upTo: projects.count)] }
    func item(_ random: inout SplitMix) -> String { items[random.next(upTo: items.count)] }
    func word(_ random: inout SplitMix) -> String { NaiveText.words[random.next(upTo: NaiveText.words.count)] }
    func date(_ random: inout SplitMix) -> Timestamp { Self.dates[random.next(upTo: Self.dates.count)] }
}
