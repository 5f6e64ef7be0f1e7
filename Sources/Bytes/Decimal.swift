/// Writes `value` in decimal at `target`, which has room for 20 bytes; returns the end.
@inlinable func writeDecimal(_ value: Int64, to target: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    var rest = value.magnitude
    var at = target
    if value < 0 {
        at.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
        at += 1
    }
    var digits = 1
    var bound: UInt64 = 10
    while digits < 19, rest >= bound {
        digits += 1
        bound &*= 10
    }
    var place = digits
    while place > 0 {
        place -= 1
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        at.storeBytes(of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit), toByteOffset: place, as: UInt8.self)
        rest = quotient
    }
    return at + digits
}
