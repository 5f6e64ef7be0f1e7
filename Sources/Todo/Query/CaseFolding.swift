/// Full case folding (Unicode Standard §3.13, `toCasefold`), independent of locale.
///
/// The standard library has the case mappings but not the folding. Lower, upper and lower case in turn give the folding of
/// every code point but two groups: dotless `ı` folds to itself, and Cherokee folds to its upper case.
package enum CaseFolding {
    /// The folded text.
    package static func foldedText(_ text: String) -> String { String(decoding: fold(text), as: UTF8.self) }

    /// The UTF-8 bytes of the folded text.
    static func fold(_ text: String) -> [UInt8] {
        let table = table
        var folded: [UInt8] = []
        folded.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars { table.append(scalar, to: &folded) }
        return folded
    }

    /// Made at first use, once: no code point beyond plane 1 has case.
    private static let table = Table(upTo: 0x20000)

    static func folded(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x131: return String(scalar)
        case 0x13A0...0x13FF, 0xAB70...0xABBF: return scalar.properties.uppercaseMapping
        default: break
        }
        let lower = scalar.properties.lowercaseMapping
        let upper = lower.unicodeScalars.reduce(into: "") { $0 += $1.properties.uppercaseMapping }
        return upper.unicodeScalars.reduce(into: "") { $0 += $1.properties.lowercaseMapping }
    }

    /// The foldings in pages of 256 code points; pages without letters that change are not kept.
    private struct Table: Sendable {
        private static let expands: UInt32 = 1 << 31
        /// For each page: where its entries begin, or -1.
        private var starts: [Int32]
        /// For each code point of a kept page: what it folds to, or `expands` and a place in `expansions`.
        private var entries: [UInt32] = []
        private var expansions: [[UInt8]] = []

        init(upTo end: UInt32) {
            starts = []
            for first in stride(from: UInt32(0), to: end, by: 256) {
                var page: [UInt32] = []
                var changes = false
                for code in first..<first + 256 {
                    var entry = code
                    if let scalar = Unicode.Scalar(code) {
                        let folded = CaseFolding.folded(scalar).unicodeScalars
                        if folded.count == 1, let only = folded.first {
                            entry = only.value
                        } else {
                            entry = Table.expands | UInt32(expansions.count)
                            expansions.append(folded.flatMap { Array(UTF8.encode($0) ?? UTF8.encodedReplacementCharacter) })
                        }
                    }
                    changes = changes || entry != code
                    page.append(entry)
                }
                starts.append(changes ? Int32(entries.count) : -1)
                if changes { entries += page }
            }
        }

        func append(_ scalar: Unicode.Scalar, to folded: inout [UInt8]) {
            var code = scalar.value
            let page = Int(code >> 8)
            if page < starts.count, starts[page] >= 0 {
                code = entries[Int(starts[page]) + Int(code & 0xFF)]
                if code & Table.expands != 0 {
                    folded += expansions[Int(code & ~Table.expands)]
                    return
                }
            }
            if let result = Unicode.Scalar(code) { folded.append(contentsOf: UTF8.encode(result) ?? UTF8.encodedReplacementCharacter) }
        }
    }
}
