/// Places in a project's list: strings of base-62 digits that sort by their bytes, so that a move writes one row.
///
/// A position reads as a fraction between 0 and 1. New ends are whole steps apart in the first eight digits, so that appending never
/// makes keys longer; between two neighbours the shortest digits that fit are taken.
public enum Position {
    /// Keys longer than this (in bytes) are worth a rebalancing of their project.
    public static let comfortableLength = 48

    private static let base = 62
    private static let wholeDigits = 8
    private static let step = 62 * 62 * 62
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let capacity = (0..<wholeDigits).reduce(1) { product, _ in product * base }

    /// A position strictly between the two; `nil` stands for the start and the end of the list.
    public static func between(_ lower: String?, _ upper: String?) -> String {
        switch (lower, upper) {
        case (nil, nil):
            return text(whole: capacity / 2)
        case (let lower?, nil):
            let next = whole(lower) + step
            return next < capacity ? text(whole: next) : fraction(between: lower, nil)
        case (nil, let upper?):
            let next = whole(upper) - step
            return next > 0 ? text(whole: next) : fraction(between: nil, upper)
        case (let lower?, let upper?):
            return fraction(between: lower, upper)
        }
    }

    /// As many positions as asked for, ascending, evenly spread around the middle.
    public static func spread(count: Int) -> [String] {
        let width = min(step, capacity / 2 / max(count, 1))
        let first = capacity / 2 - count / 2 * width
        return (0..<count).map { text(whole: first + $0 * width) }
    }

    private static func value(_ digit: UInt8) -> Int {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) - 48
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit) - 55
        default: Int(digit) - 61
        }
    }

    private static func whole(_ position: String) -> Int {
        let values = position.utf8.prefix(wholeDigits).map(value)
        return (0..<wholeDigits).reduce(0) { $0 * base + ($1 < values.count ? values[$1] : 0) }
    }

    private static func text(whole: Int) -> String {
        var rest = whole
        var reversed: [UInt8] = []
        for _ in 0..<wholeDigits {
            reversed.append(digits[rest % base])
            rest /= base
        }
        return String(decoding: reversed.reversed(), as: UTF8.self)
    }

    /// Takes digits of `lower` until there is room for one between it and `upper`.
    private static func fraction(between lower: String?, _ upper: String?) -> String {
        let low = lower.map { $0.utf8.map(value) } ?? []
        let high = upper.map { $0.utf8.map(value) } ?? []
        var isBelowUpper = upper == nil
        var result: [UInt8] = []
        var place = 0
        while true {
            let floor = place < low.count ? low[place] : 0
            let ceiling = isBelowUpper ? base : (place < high.count ? high[place] : 0)
            precondition(floor <= ceiling, "a position can only be made between a smaller and a greater one")
            if ceiling - floor >= 2 {
                result.append(digits[(floor + ceiling) / 2])
                return String(decoding: result, as: UTF8.self)
            }
            result.append(digits[floor])
            if ceiling > floor { isBelowUpper = true }
            place += 1
            precondition(place < 4096, "there is no position between two equal ones")
        }
    }
}
