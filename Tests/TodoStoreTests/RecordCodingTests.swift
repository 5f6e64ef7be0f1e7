import Testing
import Todo
import TodoStore

@Suite struct RecordCodingTests {
    private let values: [Value] = [
        .null, .boolean(false), .boolean(true), .integer(0), .integer(-1), .integer(63), .integer(-64), .integer(Int64.max),
        .integer(Int64.min), .double(-0.0), .double(1e300), .date(.earliest), .date(.latest), .string(""), .string("e\u{301}"),
        .string(String(repeating: "x", count: 200)), .strings([]), .strings(["", "é"]),
    ]

    @Test func `Values come back as they were written`() throws {
        var writer = RecordWriter()
        for value in values { writer.value(value) }
        writer.optionalTexts(["a", nil, "", "🙂"])
        var reader = RecordReader(writer.bytes)
        for value in values { #expect(try reader.value() == value) }
        #expect(try reader.optionalTexts() == ["a", nil, "", "🙂"])
        #expect(reader.isAtEnd)
    }

    @Test func `The bytes are those of the documented form`() {
        var writer = RecordWriter()
        writer.value(.integer(-65))
        writer.value(.string("é"))
        writer.value(.strings(["a"]))
        writer.optionalTexts([nil, "b"])
        #expect(writer.bytes == [3, 0x81, 0x01, 5, 2, 0xC3, 0xA9, 6, 1, 1, 0x61, 2, 0, 2, 0x62])
    }

    @Test func `Bytes that were cut off are damage, not a crash`() {
        for value in values {
            var writer = RecordWriter()
            writer.value(value)
            for length in 0..<writer.bytes.count {
                var reader = RecordReader(Array(writer.bytes.prefix(length)))
                #expect(throws: RecordReader.Damage.self) { try reader.value() }
            }
        }
    }

    @Test func `Lengths and counts that cannot be are damage`() {
        for bytes: [UInt8] in [
            [5, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [6, 0xFF, 0xFF, 0xFF, 0x7F], [9],
            [3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
        ] {
            var reader = RecordReader(bytes)
            #expect(throws: RecordReader.Damage.self) { try reader.value() }
        }
    }
}
