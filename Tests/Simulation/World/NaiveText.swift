/// What the rules of the protocol's page say about texts, written down once more, slowly and from a table: the judge of the product's own
/// folding for the few characters that the simulated world uses.
enum NaiveText {
    /// What `[c]` makes of a code point; one that is not named stays.
    private static let withoutCase: [Unicode.Scalar: String] = [
        "É": "é", "ß": "ss", "İ": "i\u{307}", "И": "и", "Я": "я", "Й": "й", "Σ": "σ", "ς": "σ",
    ].merging(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ".unicodeScalars, "abcdefghijklmnopqrstuvwxyz".map(String.init))) { $1 }
    /// What `[d]` makes of a code point; one that is not named stays.
    private static let withoutMarks: [Unicode.Scalar: String] = [
        "é": "e", "É": "E", "й": "и", "Й": "И", "İ": "I", "\u{301}": "", "\u{307}": "",
    ]

    /// All texts that objects hold and filters ask for.
    static let words = [
        "", "a", "A", "b", "B", "ab", "AB", "a b", "straße", "STRASSE", "Straße", "é", "É", "e\u{301}", "E\u{301}", "e", "E", "cafe",
        "Café",
        "İ", "I", "i", "ı", "я", "Я", "й", "Й", "и", "Σ", "ς", "σ", "👩‍👩‍👧", "👩", "x*y?z", "100%", "it's", "say \"so\"", "back\\slash", "na\nb",
    ]

    static func fold(_ text: String, case foldsCase: Bool, marks dropsMarks: Bool) -> [UInt32] {
        var folded = text
        if dropsMarks { folded = replace(folded, withoutMarks) }
        // The marks went first: `İ` without its dot is `I`, which folds to `i`.
        if foldsCase { folded = replace(folded, withoutCase) }
        return folded.unicodeScalars.map(\.value)
    }

    private static func replace(_ text: String, _ table: [Unicode.Scalar: String]) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(contentsOf: (table[scalar] ?? String(scalar)).unicodeScalars) }
        return String(result)
    }

    /// Negative, zero or positive by code points.
    static func compare(_ left: [UInt32], _ right: [UInt32]) -> Int {
        if left == right { return 0 }
        return left.lexicographicallyPrecedes(right) ? -1 : 1
    }

    static func begins(_ text: [UInt32], with start: [UInt32]) -> Bool { text.count >= start.count && Array(text[..<start.count]) == start }

    static func contains(_ text: [UInt32], _ part: [UInt32]) -> Bool {
        guard part.count <= text.count else { return false }
        return (0...(text.count - part.count)).contains { Array(text[$0..<($0 + part.count)]) == part }
    }

    /// `LIKE`: `*` any number of code points, `?` exactly one.
    static func isLike(_ text: ArraySlice<UInt32>, _ pattern: ArraySlice<UInt32>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        switch first {
        case 0x2A: return isLike(text, pattern.dropFirst()) || (!text.isEmpty && isLike(text.dropFirst(), pattern))
        case 0x3F: return !text.isEmpty && isLike(text.dropFirst(), pattern.dropFirst())
        default: return text.first == first && isLike(text.dropFirst(), pattern.dropFirst())
        }
    }
}
