/// A fuzzer's input: choices at its beginning, and behind them the bytes for the code under test.
struct FuzzInput {
    private var rest: UnsafeRawBufferPointer

    init(_ start: UnsafePointer<UInt8>, _ count: Int) {
        rest = UnsafeRawBufferPointer(start: start, count: count)
    }

    /// What has not been taken.
    var bytes: UnsafeRawBufferPointer { rest }

    /// Takes one byte for choices; 0 at the end.
    mutating func choice() -> UInt8 {
        guard let first = rest.first else { return 0 }
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        return first
    }

    /// Takes the sizes of the pieces that the rest is cut into: the low three bits of a byte say how many sizes follow.
    /// They are used in turn until the input ends; with none, there is one piece.
    mutating func cuts() -> [Int] {
        (0..<(choice() & 7)).map { _ in Int(choice()) + 1 }
    }

    /// Lends the bytes piece by piece, each in memory of its own that ends where the piece does, so that reading beyond it, or
    /// after the call, is found. Stops when `body` returns false.
    static func feed(_ bytes: UnsafeRawBufferPointer, cutAt sizes: [Int], _ body: (UnsafeMutableRawBufferPointer) -> Bool) {
        var begin = 0
        var turn = 0
        repeat {
            let size = sizes.isEmpty ? bytes.count : sizes[turn % sizes.count]
            turn += 1
            let end = min(bytes.count, begin + size)
            let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: end - begin, alignment: 1)
            defer { piece.deallocate() }
            piece.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[begin..<end]))
            if !body(piece) { return }
            begin = end
        } while begin < bytes.count
    }
}

/// Ends the run, and so marks the input as one that breaks a promise.
func require(_ holds: Bool, _ promise: @autoclosure () -> String) {
    if !holds { fatalError(promise()) }
}
