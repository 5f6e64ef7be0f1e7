/// The random id of a store's history.
enum Epoch {
    /// 16 characters out of 32: 80 random bits.
    static func random() -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        return String((0..<16).map { _ in letters[Int.random(in: 0..<letters.count)] })
    }
}
