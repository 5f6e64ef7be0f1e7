/// Writes JSON (RFC 8259) straight into bytes; commas come by themselves.
///
/// The writer trusts its caller to pair `begin` and `end` and to write a key before each member's value.
public struct JSONWriter: ~Copyable {
    /// What has been written; other bytes may be put in front before the first value.
    public var bytes: ByteWriter
    /// Whether a value stands before this place in the same array or object.
    @usableFromInline var needsComma = false

    /// A writer with nothing in it.
    @inlinable public init() {
        bytes = ByteWriter()
    }

    /// A writer with room for `capacity` bytes.
    @inlinable public init(capacity: Int) {
        bytes = ByteWriter(capacity: capacity)
    }

    /// A writer that goes on behind what `bytes` holds.
    @inlinable public init(appendingTo bytes: consuming ByteWriter) {
        self.bytes = bytes
    }

    /// What was written, as shared bytes; the writer is empty afterwards and can be used again.
    @inlinable public mutating func finish() -> SharedBytes {
        needsComma = false
        return bytes.finish()
    }

    /// Forgets what was written and keeps the memory.
    @inlinable public mutating func removeAll() {
        needsComma = false
        bytes.removeAll()
    }

    @inlinable mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Opens an object, as a value.
    @inlinable public mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
        needsComma = false
    }

    /// Closes the innermost object.
    @inlinable public mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    /// Opens an array, as a value.
    @inlinable public mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
        needsComma = false
    }

    /// Closes the innermost array.
    @inlinable public mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
        needsComma = true
    }

    /// Writes a member's key. The literal must need no escaping: no quote, backslash or control character.
    @inlinable public mutating func key(_ name: StaticString) {
        let count = name.utf8CodeUnitCount
        bytes.reserve(count + 4)
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(name)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member's key, escaped where it must be.
    @inlinable public mutating func key(escaping name: String) {
        value(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a member's key that is encoded already, with its quotes and its colon: `"itemId":`.
    @inlinable public mutating func key(encoded: String) {
        separate()
        bytes.append(utf8: encoded)
        needsComma = false
    }

    /// Writes a string of up to `capacity` bytes that `body` writes itself and that need no escaping; it returns how many it wrote.
    @inlinable public mutating func string(upTo capacity: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
        bytes.reserve(capacity + 3)
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(upTo: capacity, body)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a string.
    @inlinable public mutating func value(_ text: String) {
        var text = text
        text.withUTF8 { string(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a string given as UTF-8 bytes.
    @inlinable public mutating func string(_ utf8: UnsafeRawBufferPointer) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a literal string, which must need no escaping.
    @inlinable public mutating func literal(_ text: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(text)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a whole number.
    @inlinable public mutating func value(_ number: Int64) {
        separate()
        bytes.append(decimal: number)
    }

    /// Writes a whole number.
    @inlinable public mutating func value(_ number: Int) {
        value(Int64(number))
    }

    /// Writes a number in the shortest form that reads back as the same double. Whole numbers up to 2^53 have neither point nor
    /// exponent; infinities and NaN, which JSON lacks, become `null`.
    public mutating func value(_ number: Double) {
        guard number.isFinite else { return null() }
        let isNegativeZero = number == 0 && number.sign == .minus
        if number.magnitude <= 0x1p53, !isNegativeZero, Double(Int64(number)) == number { return value(Int64(number)) }
        separate()
        bytes.append(utf8: number.description)
    }

    /// Writes `true` or `false`.
    @inlinable public mutating func value(_ flag: Bool) {
        separate()
        if flag { bytes.append("true") } else { bytes.append("false") }
    }

    /// Writes `null`.
    @inlinable public mutating func null() {
        separate()
        bytes.append("null")
    }

    /// Writes a value that is JSON already, unchecked.
    @inlinable public mutating func raw(_ json: UnsafeRawBufferPointer) {
        separate()
        bytes.append(json)
    }

    /// Writes a value that is JSON already, unchecked.
    @inlinable public mutating func raw(_ json: SharedBytes) {
        separate()
        bytes.append(json)
    }

    /// Writes a value that is JSON already, unchecked.
    @inlinable public mutating func raw(_ json: StaticString) {
        separate()
        bytes.append(json)
    }
}
