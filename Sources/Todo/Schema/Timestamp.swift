/// A moment in UTC with millisecond precision: what every date field holds.
///
/// On the wire it is RFC 3339, `2026-11-30T01:02:03.123Z`; in the store it is the integer.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, negative before it.
    public let milliseconds: Int64

    /// The first moment that RFC 3339 can name with four year digits from 0001, `0001-01-01T00:00:00.000Z`.
    public static let earliest = Timestamp(milliseconds: -62_135_596_800_000)
    /// The last moment that RFC 3339 can name, `9999-12-31T23:59:59.999Z`.
    public static let latest = Timestamp(milliseconds: 253_402_300_799_999)

    /// A moment from its distance to the Unix epoch.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Orders by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

extension Timestamp {
    private static let millisecondsPerDay: Int64 = 86_400_000

    /// Reads an RFC 3339 §5.6 `date-time` of any offset and precision; finer digits than milliseconds are cut off.
    ///
    /// `nil` when the text is not one, names a day or time that does not exist, or falls outside the years 0001–9999 in UTC.
    /// A leap second (`:60`) is taken as the last millisecond before the next minute, as the Unix clock has no room for it.
    public init?(rfc3339 text: String) {
        var text = text
        guard let moment = text.withUTF8({ Timestamp(rfc3339: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = moment
    }

    /// Reads the same from the text's UTF-8 bytes.
    public init?(rfc3339 utf8: UnsafeRawBufferPointer) {
        var scanner = DigitScanner(utf8)
        guard let year = scanner.number(digits: 4), scanner.skip(UInt8(ascii: "-")),
            let month = scanner.number(digits: 2), scanner.skip(UInt8(ascii: "-")),
            let day = scanner.number(digits: 2),
            scanner.skip(UInt8(ascii: "T")) || scanner.skip(UInt8(ascii: "t")) || scanner.skip(UInt8(ascii: " ")),
            let hour = scanner.number(digits: 2), scanner.skip(UInt8(ascii: ":")),
            let minute = scanner.number(digits: 2), scanner.skip(UInt8(ascii: ":")),
            let second = scanner.number(digits: 2)
        else { return nil }
        var thousandths: Int64 = 0
        if scanner.skip(UInt8(ascii: ".")) {
            guard let fraction = scanner.fraction() else { return nil }
            thousandths = fraction
        }
        guard let offsetMinutes = scanner.offset(), scanner.isAtEnd else { return nil }
        guard (1...12).contains(month), day >= 1, day <= Timestamp.days(inMonth: month, year: year),
            hour <= 23, minute <= 59, second <= 60
        else { return nil }
        let wholeSeconds = hour * 3600 + minute * 60 + min(second, 59)
        let ofDay = wholeSeconds * 1000 + (second == 60 ? 999 : thousandths)
        let days = Timestamp.daysSinceEpoch(year: year, month: month, day: day)
        let moment = Timestamp(milliseconds: days * Timestamp.millisecondsPerDay + ofDay - offsetMinutes * 60_000)
        guard moment >= .earliest, moment <= .latest else { return nil }
        self = moment
    }

    /// How many bytes `rfc3339` has.
    public static let rfc3339Length = 24

    /// The RFC 3339 text in UTC with milliseconds, `2026-11-30T01:02:03.123Z`.
    public var rfc3339: String {
        String(unsafeUninitializedCapacity: Timestamp.rfc3339Length) { buffer in
            writeRFC3339(to: UnsafeMutableRawBufferPointer(buffer))
            return Timestamp.rfc3339Length
        }
    }

    /// Writes the same text to the buffer, which has room for `rfc3339Length` bytes at least.
    public func writeRFC3339(to buffer: UnsafeMutableRawBufferPointer) {
        precondition(buffer.count >= Timestamp.rfc3339Length, "a date takes \(Timestamp.rfc3339Length) bytes")
        let (days, ofDay) = milliseconds.flooredQuotientAndRemainder(dividingBy: Timestamp.millisecondsPerDay)
        let (year, month, day) = Timestamp.civil(daysSinceEpoch: days)
        func put(_ value: Int64, digits: Int, at start: Int) {
            var rest = UInt32(truncatingIfNeeded: value)
            for place in stride(from: start + digits - 1, through: start, by: -1) {
                buffer[place] = UInt8(truncatingIfNeeded: 48 + rest % 10)
                rest /= 10
            }
        }
        put(year, digits: 4, at: 0)
        buffer[4] = UInt8(ascii: "-")
        put(month, digits: 2, at: 5)
        buffer[7] = UInt8(ascii: "-")
        put(day, digits: 2, at: 8)
        buffer[10] = UInt8(ascii: "T")
        put(ofDay / 3_600_000, digits: 2, at: 11)
        buffer[13] = UInt8(ascii: ":")
        put(ofDay / 60_000 % 60, digits: 2, at: 14)
        buffer[16] = UInt8(ascii: ":")
        put(ofDay / 1000 % 60, digits: 2, at: 17)
        buffer[19] = UInt8(ascii: ".")
        put(ofDay % 1000, digits: 3, at: 20)
        buffer[23] = UInt8(ascii: "Z")
    }

    private static func days(inMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar, counted in eras of 400 years that begin in March.
    private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.flooredQuotientAndRemainder(dividingBy: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func civil(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (daysSinceEpoch + 719_468).flooredQuotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

extension Int64 {
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// Reads fixed-width decimal parts of a date from its UTF-8 bytes.
private struct DigitScanner {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { index == bytes.count }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard !isAtEnd, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func digit() -> Int64? {
        guard !isAtEnd, (48...57).contains(bytes[index]) else { return nil }
        index += 1
        return Int64(bytes[index - 1]) - 48
    }

    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let next = digit() else { return nil }
            value = value * 10 + next
        }
        return value
    }

    /// Thousandths from one or more digits behind the point.
    mutating func fraction() -> Int64? {
        var value: Int64 = 0
        var count = 0
        while let next = digit() {
            if count < 3 { value = value * 10 + next }
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in 0..<max(0, 3 - count) { value *= 10 }
        return value
    }

    /// Minutes east of UTC from `Z` or `±hh:mm`.
    mutating func offset() -> Int64? {
        if skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) { return 0 }
        let sign: Int64
        if skip(UInt8(ascii: "+")) { sign = 1 } else if skip(UInt8(ascii: "-")) { sign = -1 } else { return nil }
        guard let hours = number(digits: 2), skip(UInt8(ascii: ":")), let minutes = number(digits: 2), hours <= 23, minutes <= 59 else {
            return nil
        }
        return sign * (hours * 60 + minutes)
    }
}
