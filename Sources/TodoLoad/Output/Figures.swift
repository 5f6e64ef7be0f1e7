/// Numbers as people read them.
enum Figures {
    /// A whole number with a comma every three digits.
    static func whole(_ number: Int) -> String {
        var text = ""
        for (place, digit) in String(abs(number)).reversed().enumerated() {
            if place > 0, place % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + String(text.reversed())
    }

    /// A number with that many digits behind the point.
    static func decimal(_ number: Double, _ digits: Int) -> String {
        guard number.isFinite, abs(number) < 1e15 else { return "–" }
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((number * Double(scale)).rounded())
        let whole = Self.whole(scaled / scale)
        guard digits > 0 else { return whole }
        let fraction = String(abs(scaled % scale))
        return whole + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    /// A time in nanoseconds, with three significant digits.
    static func time(_ nanoseconds: Int64) -> String {
        let value = Double(nanoseconds)
        switch nanoseconds {
        case ..<1_000_000: return "\(decimal(value / 1e3, value < 1e5 ? 1 : 0)) µs"
        case ..<1_000_000_000: return "\(decimal(value / 1e6, value < 1e7 ? 2 : value < 1e8 ? 1 : 0)) ms"
        default: return "\(decimal(value / 1e9, 2)) s"
        }
    }

    /// A number of bytes.
    static func bytes(_ count: Double) -> String {
        switch count {
        case ..<1e4: "\(decimal(count, 0)) B"
        case ..<1e6: "\(decimal(count / 1e3, 1)) kB"
        case ..<1e9: "\(decimal(count / 1e6, 1)) MB"
        default: "\(decimal(count / 1e9, 2)) GB"
        }
    }

    /// Pads on the left to a width in characters.
    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Pads on the right to a width in characters.
    static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
