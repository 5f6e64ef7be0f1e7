/// What an error message repeats of what somebody sent.
package enum Quotation {
    /// At most so many code points: what a client sent must not make an error message expensive.
    package static let lengthMax = 64

    /// The text as a message may repeat it: cut, and without control characters.
    package static func shortened(_ text: some StringProtocol) -> String {
        let scalars = text.unicodeScalars
        var rest = scalars.makeIterator()
        var kept = String.UnicodeScalarView()
        for _ in 0..<lengthMax {
            guard let scalar = rest.next() else { return String(kept) }
            kept.append(scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar)
        }
        return rest.next() == nil ? String(kept) : String(kept) + "…"
    }
}
