package import Todo

/// Writes the compact binary form in which the store keeps values that have no column of their own.
///
/// Whole numbers are LEB128 with 7 bits a byte, the lowest first; signed ones are folded first (0, -1, 1, -2 …);
/// a text is its count of UTF-8 bytes and the bytes; a value is a byte for its kind and the content.
package struct RecordWriter {
    /// What was written so far.
    package private(set) var bytes: [UInt8] = []

    /// A writer without bytes.
    package init() {}

    mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func signed(_ value: Int64) {
        unsigned(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    mutating func text(_ value: String) {
        unsigned(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    mutating func texts(_ values: [String]) {
        unsigned(UInt64(values.count))
        for value in values { text(value) }
    }

    /// Texts of which some may be absent: 0 for an absent one, else the count of bytes plus one and the bytes.
    package mutating func optionalTexts(_ values: [String?]) {
        unsigned(UInt64(values.count))
        for value in values {
            unsigned(value.map { UInt64($0.utf8.count) + 1 } ?? 0)
            if let value { bytes.append(contentsOf: value.utf8) }
        }
    }

    package mutating func value(_ value: Value) {
        switch value {
        case .null:
            bytes.append(0)
        case .boolean(let content):
            bytes.append(content ? 2 : 1)
        case .integer(let content):
            bytes.append(3)
            signed(content)
        case .date(let content):
            bytes.append(4)
            signed(content.milliseconds)
        case .string(let content), .json(let content):
            bytes.append(5)
            text(content)
        case .strings(let content):
            bytes.append(6)
            texts(content)
        case .double(let content):
            bytes.append(7)
            unsigned(content.bitPattern)
        }
    }
}

/// Reads what `RecordWriter` wrote.
package struct RecordReader {
    /// The bytes are not what the writer makes: the file was damaged or changed by something else.
    package struct Damage: Error {}

    private let bytes: [UInt8]
    private var place = 0

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package var isAtEnd: Bool { place == bytes.count }

    mutating func unsigned() throws(Damage) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte()
            guard shift < 64 else { throw Damage() }
            value |= UInt64(next & 0x7F) << shift
            if next < 0x80 { return value }
            shift += 7
        }
    }

    mutating func signed() throws(Damage) -> Int64 {
        let folded = try unsigned()
        return Int64(bitPattern: (folded >> 1) ^ (0 &- (folded & 1)))
    }

    mutating func text() throws(Damage) -> String {
        try text(byteCount: unsigned())
    }

    mutating func texts() throws(Damage) -> [String] {
        var values: [String] = []
        for _ in 0..<(try count()) { values.append(try text()) }
        return values
    }

    package mutating func optionalTexts() throws(Damage) -> [String?] {
        var values: [String?] = []
        for _ in 0..<(try count()) {
            let length = try unsigned()
            values.append(length == 0 ? nil : try text(byteCount: length - 1))
        }
        return values
    }

    package mutating func value() throws(Damage) -> Value {
        switch try byte() {
        case 0: return .null
        case 1: return .boolean(false)
        case 2: return .boolean(true)
        case 3: return .integer(try signed())
        case 4: return .date(Timestamp(milliseconds: try signed()))
        case 5: return .string(try text())
        case 6: return .strings(try texts())
        case 7: return .double(Double(bitPattern: try unsigned()))
        default: throw Damage()
        }
    }

    private mutating func byte() throws(Damage) -> UInt8 {
        guard place < bytes.count else { throw Damage() }
        defer { place += 1 }
        return bytes[place]
    }

    /// A count of things that take at least a byte each.
    private mutating func count() throws(Damage) -> Int {
        let value = try unsigned()
        guard value <= UInt64(bytes.count - place) else { throw Damage() }
        return Int(value)
    }

    private mutating func text(byteCount: UInt64) throws(Damage) -> String {
        guard byteCount <= UInt64(bytes.count - place) else { throw Damage() }
        defer { place += Int(byteCount) }
        return String(decoding: bytes[place..<(place + Int(byteCount))], as: UTF8.self)
    }
}
