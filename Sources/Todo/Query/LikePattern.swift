/// A `LIKE` pattern: `*` stands for any number of code points, `?` for one.
///
/// The pattern is run as a nondeterministic automaton whose states are the bits of a few words: each code point of the text
/// costs the same, whatever the pattern is. Trying again after a mismatch would cost the product of both lengths.
struct LikePattern: Sendable, Hashable {
    /// Code points that a match has at least: the pattern without its stars.
    private let steps: [UInt32]
    /// Bit n: any code points may stand before step n.
    private let stars: [UInt64]
    /// For each code point of the pattern, bit n: step n takes it.
    private let takes: [UInt32: [UInt64]]
    /// Bit n: step n takes any code point.
    private let takesAny: [UInt64]
    /// Code points of the whole pattern.
    let length: Int

    /// Reads a pattern from its folded UTF-8 bytes.
    init(_ pattern: [UInt8]) {
        let scalars = String(decoding: pattern, as: UTF8.self).unicodeScalars.map(\.value)
        length = scalars.count
        steps = scalars.filter { $0 != LikePattern.star }
        let words = steps.count / 64 + 1
        let none = [UInt64](repeating: 0, count: words)
        var (stars, takesAny, takes) = (none, none, [UInt32: [UInt64]]())
        var step = 0
        for scalar in scalars {
            let (word, bit) = (step / 64, UInt64(1) << UInt64(step % 64))
            switch scalar {
            case LikePattern.star:
                stars[word] |= bit
                continue
            case LikePattern.questionMark: takesAny[word] |= bit
            default: takes[scalar, default: none][word] |= bit
            }
            step += 1
        }
        for key in takes.keys { for word in 0..<words { takes[key]?[word] |= takesAny[word] } }
        (self.stars, self.takesAny, self.takes) = (stars, takesAny, takes)
    }

    private static let star = UInt32(UInt8(ascii: "*"))
    private static let questionMark = UInt32(UInt8(ascii: "?"))

    func matches(_ text: FoldedBytes) -> Bool {
        stars.count == 1 ? matchesInOneWord(text) : matchesInWords(text)
    }

    private func matchesInOneWord(_ text: FoldedBytes) -> Bool {
        let (stars, takesAny) = (stars[0], takesAny[0])
        // Bit n: the first n steps have been taken.
        var states: UInt64 = 1
        var index = 0
        while index < text.count {
            let taken = takes[text.scalar(at: &index)]?[0] ?? takesAny
            states = (states & taken) << 1 | (states & stars)
            if states == 0 { return false }
        }
        return states >> UInt64(steps.count) & 1 == 1
    }

    private func matchesInWords(_ text: FoldedBytes) -> Bool {
        var states = [UInt64](repeating: 0, count: stars.count)
        states[0] = 1
        var index = 0
        while index < text.count {
            let taken = takes[text.scalar(at: &index)] ?? takesAny
            var (carry, alive): (UInt64, UInt64) = (0, 0)
            for word in states.indices {
                let moved = states[word] & taken[word]
                states[word] = moved << 1 | carry | (states[word] & stars[word])
                carry = moved >> 63
                alive |= states[word]
            }
            if alive == 0 { return false }
        }
        return states[steps.count / 64] >> UInt64(steps.count % 64) & 1 == 1
    }
}

extension FoldedBytes {
    /// The code point at the index, which is moved behind it; the bytes of a `String` are well-formed UTF-8.
    @inline(__always) fileprivate func scalar(at index: inout Int) -> UInt32 {
        let first = UInt32(self[index])
        index += 1
        if first < 0x80 { return first }
        let rest = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
        var scalar = first & (0x3F >> UInt32(rest))
        for _ in 0..<rest {
            scalar = scalar << 6 | UInt32(self[index] & 0x3F)
            index += 1
        }
        return scalar
    }
}
