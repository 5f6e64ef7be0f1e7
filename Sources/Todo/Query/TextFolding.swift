/// What a comparison of texts overlooks: `[c]`, `[d]` or both.
///
/// `[d]` comes first: canonical decomposition (NFD), all combining marks dropped (General_Category M: Mn, Mc, Me), canonical
/// composition (NFC). Then `[c]`: full case folding of each code point (Unicode's CaseFolding.txt, status C and F), the same
/// in every locale. Without `[d]` nothing is normalised: `é` and `e` with U+0301 stay different.
package struct TextFolding: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// `[c]`.
    package static let `case` = TextFolding(rawValue: 1)
    /// `[d]`.
    package static let diacritics = TextFolding(rawValue: 2)

    /// The UTF-8 bytes of the folded text.
    package func fold(_ text: String) -> [UInt8] {
        if isEmpty { return Array(text.utf8) }
        var copy = text
        let ascii: [UInt8]? = copy.withUTF8 { bytes in
            guard bytes.areASCII else { return nil }
            return contains(.case) ? bytes.map(\.asciiLowercased) : Array(bytes)
        }
        if let ascii { return ascii }
        let table = contains(.diacritics) ? (contains(.case) ? FoldingTable.both : FoldingTable.diacritics) : FoldingTable.case
        let folded = table.fold(copy.unicodeScalars)
        // Of what is left without marks only Hangul still composes.
        return contains(.diacritics) && folded.holdsJamo ? HangulComposition.compose(folded.bytes) : folded.bytes
    }
}

/// Composes conjoining jamo to syllables (Unicode Standard §3.12).
private enum HangulComposition {
    static func compose(_ bytes: [UInt8]) -> [UInt8] {
        var scalars: [UInt32] = []
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars.map(\.value) {
            if let last = scalars.last, let syllable = compose(last, scalar) {
                scalars[scalars.count - 1] = syllable
            } else {
                scalars.append(scalar)
            }
        }
        return scalars.compactMap(Unicode.Scalar.init).flatMap(\.utf8Bytes)
    }

    private static func compose(_ first: UInt32, _ second: UInt32) -> UInt32? {
        if (0x1100...0x1112).contains(first), (0x1161...0x1175).contains(second) {
            return 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28
        }
        let isOpenSyllable = (0xAC00...0xD7A3).contains(first) && (first - 0xAC00) % 28 == 0
        return isOpenSyllable && (0x11A8...0x11C2).contains(second) ? first + second - 0x11A7 : nil
    }
}
