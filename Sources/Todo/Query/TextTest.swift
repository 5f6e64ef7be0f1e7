/// A test of a text by its bytes, after folding both sides the same way; the right side is folded once, when the predicate is read.
struct TextTest: Sendable, Hashable {
    enum Operation: Sendable, Hashable {
        case equal([UInt8])
        case order(ValueTest.Order, [UInt8])
        case between([UInt8], [UInt8])
        case among(Set<[UInt8]>)
        case beginsWith([UInt8])
        case endsWith([UInt8])
        case contains(TextSearch)
        case like(LikePattern)
    }

    let folding: TextFolding
    let operation: Operation

    init(_ folding: TextFolding, _ operation: Operation) {
        self.folding = folding
        self.operation = operation
    }

    func passes(_ text: String) -> Bool {
        var text = text
        let fast: Bool? = text.withUTF8 { bytes in
            if folding.isEmpty { return holds(FoldedBytes(bytes, lowercases: false)) }
            // ASCII has no diacritics, and its letters fold one to one: no copy is needed.
            if bytes.areASCII { return holds(FoldedBytes(bytes, lowercases: folding.contains(.case))) }
            return nil
        }
        if let fast { return fast }
        return folding.fold(text).withUnsafeBufferPointer { holds(FoldedBytes($0, lowercases: false)) }
    }

    private func holds(_ text: FoldedBytes) -> Bool {
        switch operation {
        case .equal(let constant): text.count == constant.count && text.hasPrefix(constant)
        case .order(let order, let constant): order.accepts(text.compare(with: constant))
        case .between(let low, let high): text.compare(with: low) >= 0 && text.compare(with: high) <= 0
        case .among(let constants): constants.contains(text.copy())
        case .beginsWith(let constant): text.hasPrefix(constant)
        case .endsWith(let constant): text.hasSuffix(constant)
        case .contains(let search): search.isFound(in: text)
        case .like(let pattern): pattern.matches(text)
        }
    }
}

/// The UTF-8 bytes of a folded text; ASCII letters may still be folded as they are read.
struct FoldedBytes {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let lowercases: Bool

    init(_ bytes: UnsafeBufferPointer<UInt8>, lowercases: Bool) {
        self.bytes = bytes
        self.lowercases = lowercases
    }

    var count: Int { bytes.count }

    @inline(__always) subscript(index: Int) -> UInt8 {
        let byte = bytes[index]
        return lowercases ? byte.asciiLowercased : byte
    }

    func hasPrefix(_ constant: [UInt8]) -> Bool {
        guard count >= constant.count else { return false }
        for index in constant.indices where self[index] != constant[index] { return false }
        return true
    }

    func hasSuffix(_ constant: [UInt8]) -> Bool {
        let start = count - constant.count
        guard start >= 0 else { return false }
        for index in constant.indices where self[start + index] != constant[index] { return false }
        return true
    }

    func compare(with constant: [UInt8]) -> Int {
        for index in 0..<min(count, constant.count) where self[index] != constant[index] {
            return self[index] < constant[index] ? -1 : 1
        }
        return count - constant.count
    }

    func copy() -> [UInt8] {
        lowercases ? bytes.map(\.asciiLowercased) : Array(bytes)
    }
}

extension UInt8 {
    @inline(__always) var asciiLowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension UnsafeBufferPointer<UInt8> {
    var areASCII: Bool {
        var all: UInt8 = 0
        for byte in self { all |= byte }
        return all < 0x80
    }
}
