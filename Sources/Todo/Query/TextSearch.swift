/// Finds a text inside another by the algorithm of Knuth, Morris and Pratt: linear whatever the two are, so that no
/// filter can be made that takes the product of their lengths.
struct TextSearch: Sendable, Hashable {
    private let needle: [UInt8]
    /// For each length of a match: the length of the longest shorter one that its end could also be.
    private let fallback: [Int32]

    init(_ needle: [UInt8]) {
        self.needle = needle
        var fallback = [Int32](repeating: 0, count: needle.count)
        var length = 0
        for index in needle.indices.dropFirst() {
            while length > 0, needle[index] != needle[length] { length = Int(fallback[length - 1]) }
            if needle[index] == needle[length] { length += 1 }
            fallback[index] = Int32(length)
        }
        self.fallback = fallback
    }

    func isFound(in text: FoldedBytes) -> Bool {
        if needle.isEmpty { return true }
        guard text.count >= needle.count else { return false }
        var length = 0
        for index in 0..<text.count {
            let byte = text[index]
            while length > 0, byte != needle[length] { length = Int(fallback[length - 1]) }
            if byte == needle[length] { length += 1 }
            if length == needle.count { return true }
        }
        return false
    }
}
