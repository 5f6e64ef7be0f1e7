import Foundation
import Testing
import Todo

@Suite("Folding of texts")
struct TextFoldingTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Where letters and marks are; the rest are ideographs, syllables and symbols.
    private static let letters: [Range<UInt32>] = [0x80..<0x2E00, 0xA640..<0xAC00, 0xF900..<0x10000, 0x10400..<0x11000, 0x1E900..<0x1E960]

    @Test("Folding twice gives what folding once does")
    func idempotent() {
        for code in Self.letters.joined() {
            guard let scalar = Unicode.Scalar(code) else { continue }
            for folding in [TextFolding.case, .diacritics, [.case, .diacritics]] {
                let once = folding.fold(String(scalar))
                if folding.fold(text(once)) != once { Issue.record("U+\(String(code, radix: 16)) under \(folding.rawValue)") }
            }
        }
    }

    @Test("Upper and lower case fold alike, but for the letters without a pair of their own")
    func pairs() {
        // Dotless i has the capital of another letter, and dotted capital I has no small letter of one code point.
        let unpaired: Set<UInt32> = [0x130, 0x131]
        for code in Self.letters.joined() where !unpaired.contains(code) {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let folded = TextFolding.case.fold(String(scalar))
            // Mappings by code point: a whole text's lower case knows final sigma.
            let upper = TextFolding.case.fold(scalar.properties.uppercaseMapping)
            let lower = TextFolding.case.fold(scalar.properties.lowercaseMapping)
            if upper != folded || lower != folded { Issue.record("U+\(String(code, radix: 16))") }
        }
    }

    @Test("[d] drops every mark, whatever its kind and order, and composes what is left")
    func marks() {
        let folding = TextFolding.diacritics
        #expect(text(folding.fold("a\u{301}\u{323}b\u{20DD}")).hasSameBytes(as: "ab"))
        #expect(text(folding.fold("\u{1EAD}")).hasSameBytes(as: "a"))
        #expect(text(folding.fold("\u{212B}\u{2126}")).hasSameBytes(as: "A\u{3A9}"))
        #expect(text(folding.fold("\u{1112}\u{1161}\u{11AB}")).hasSameBytes(as: "\u{D55C}"))
        #expect(text(folding.fold("\u{D558}\u{11AB}")).hasSameBytes(as: "\u{D55C}"))
        // Old jamo beyond the modern ones compose with nothing.
        #expect(text(folding.fold("\u{1113}\u{1161}")).hasSameBytes(as: "\u{1113}\u{1161}"))
        #expect(text(folding.fold("\u{1112}\u{1176}")).hasSameBytes(as: "\u{1112}\u{1176}"))
        #expect(text(folding.fold("❤\u{FE0F}葛\u{E0100}")).hasSameBytes(as: "❤葛"))
        #expect(folding.fold("\u{301}").isEmpty)
    }

    @Test("ASCII takes the short way to the same result")
    func ascii() {
        let all = String(String.UnicodeScalarView((0x01...0x7F).compactMap { Unicode.Scalar($0 as UInt32) }))
        #expect(text(TextFolding.case.fold(all)).hasSameBytes(as: all.lowercased()))
        #expect(text(TextFolding.diacritics.fold(all)).hasSameBytes(as: all))
        #expect(TextFolding.case.fold(all + "É") == TextFolding.case.fold(all) + Array("é".utf8))
    }
}
