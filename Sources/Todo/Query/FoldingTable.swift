import Foundation

/// What each code point folds to.
///
/// Both foldings work code point by code point: marks are dropped wherever decomposition puts them, so that their order, the
/// only thing that depends on the neighbours, does not matter. A table makes the folding of a long text cost a few nanoseconds
/// a character; each one is made once, at first use.
struct FoldingTable: Sendable {
    /// `[c]`.
    static let `case` = FoldingTable { $0.caseFolded }
    /// `[d]`.
    static let diacritics = FoldingTable { $0.withoutMarks }
    /// `[cd]`.
    static let both = FoldingTable { $0.withoutMarks.flatMap(\.caseFolded) }

    private static let expands: UInt32 = 1 << 31
    private static let pageSize: UInt32 = 256

    /// For each page of 256 code points: where its entries begin, or -1 where all fold to themselves.
    private var starts: [Int32] = []
    /// For each code point of a kept page: what it folds to, or `expands` and a place in `expansions`.
    private var entries: [UInt32] = []
    private var expansions: [[UInt8]] = []

    private init(_ folded: (Unicode.Scalar) -> [Unicode.Scalar]) {
        for first in stride(from: UInt32(0), to: 0xE0200, by: Int(FoldingTable.pageSize)) {
            guard !FoldingTable.foldsToItself(page: first) else {
                starts.append(-1)
                continue
            }
            let (expansionCount, start) = (expansions.count, entries.count)
            var changes = false
            for code in first..<first + FoldingTable.pageSize {
                let entry = Unicode.Scalar(code).map { self.entry(of: folded($0)) } ?? code
                changes = changes || entry != code
                entries.append(entry)
            }
            starts.append(changes ? Int32(start) : -1)
            if !changes {
                entries.removeSubrange(start...)
                expansions.removeSubrange(expansionCount...)
            }
        }
    }

    /// Ideographs, Hangul syllables, surrogates, private use and planes without letters: looking at them would take most of the time.
    private static func foldsToItself(page: UInt32) -> Bool {
        switch page {
        case 0x3400..<0x4D00, 0x4E00..<0xA000, 0xAC00..<0xD700, 0xD800..<0xF900, 0x20000..<0x2F800, 0x2FB00..<0xE0100: true
        default: false
        }
    }

    private mutating func entry(of folded: [Unicode.Scalar]) -> UInt32 {
        if folded.count == 1 { return folded[0].value }
        expansions.append(folded.flatMap(\.utf8Bytes))
        return FoldingTable.expands | UInt32(expansions.count - 1)
    }

    /// The UTF-8 bytes of the folded text, and whether conjoining jamo are among them.
    func fold(_ text: String.UnicodeScalarView) -> (bytes: [UInt8], holdsJamo: Bool) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 2)
        var holdsJamo = false
        for scalar in text {
            var code = scalar.value
            let page = Int(code / FoldingTable.pageSize)
            if page < starts.count, starts[page] >= 0 {
                code = entries[Int(starts[page]) + Int(code % FoldingTable.pageSize)]
                if code & FoldingTable.expands != 0 {
                    bytes += expansions[Int(code & ~FoldingTable.expands)]
                    continue
                }
            }
            if code < 0x80 {
                bytes.append(UInt8(code))
            } else if let result = Unicode.Scalar(code) {
                bytes.append(contentsOf: result.utf8Bytes)
                holdsJamo = holdsJamo || code & ~0xFF == 0x1100
            }
        }
        return (bytes, holdsJamo)
    }
}

extension Unicode.Scalar {
    var utf8Bytes: UTF8.EncodedScalar { UTF8.encode(self) ?? UTF8.encodedReplacementCharacter }

    /// Full case folding (Unicode Standard §3.13, `toCasefold`).
    ///
    /// The standard library has the case mappings but not the folding. Lower, upper and lower case in turn give the folding of
    /// every code point but two groups: dotless `ı` folds to itself, and Cherokee folds to its upper case.
    fileprivate var caseFolded: [Unicode.Scalar] {
        switch value {
        case 0x131: return [self]
        case 0x13A0...0x13FF, 0xAB70...0xABBF: return Array(properties.uppercaseMapping.unicodeScalars)
        default:
            let lower = properties.lowercaseMapping.unicodeScalars
            let upper = lower.flatMap(\.properties.uppercaseMapping.unicodeScalars)
            return upper.flatMap(\.properties.lowercaseMapping.unicodeScalars)
        }
    }

    /// The canonical decomposition without its combining marks; a Hangul syllable as it is.
    fileprivate var withoutMarks: [Unicode.Scalar] {
        if (0xAC00...0xD7A3).contains(value) { return [self] }
        return String(self).decomposedStringWithCanonicalMapping.unicodeScalars.filter { !$0.isMark }
    }

    private var isMark: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }
}
