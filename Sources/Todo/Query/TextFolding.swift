import Foundation

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
        let plain = contains(.diacritics) ? TextFolding.withoutMarks(text) : text
        return contains(.case) ? CaseFolding.fold(plain) : Array(plain.utf8)
    }

    private static func withoutMarks(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars where !scalar.isMark { kept.append(scalar) }
        return String(kept).precomposedStringWithCanonicalMapping
    }
}

extension Unicode.Scalar {
    fileprivate var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
