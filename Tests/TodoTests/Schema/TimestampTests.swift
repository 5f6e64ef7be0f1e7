import Testing
import Todo

@Suite("A moment in RFC 3339")
struct TimestampTests {
    static let read: [(String, String)] = [
        ("2026-11-30T01:02:03.123Z", "2026-11-30T01:02:03.123Z"),
        ("2026-11-30T01:02:03Z", "2026-11-30T01:02:03.000Z"),
        ("2026-11-30T01:02:03.1Z", "2026-11-30T01:02:03.100Z"),
        ("2026-11-30T01:02:03.1239999999Z", "2026-11-30T01:02:03.123Z"),
        ("2026-11-30t01:02:03z", "2026-11-30T01:02:03.000Z"),
        ("2026-11-30 01:02:03Z", "2026-11-30T01:02:03.000Z"),
        ("2026-11-30T01:02:03+02:00", "2026-11-29T23:02:03.000Z"),
        ("2026-11-30T01:02:03-23:59", "2026-12-01T01:01:03.000Z"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"),
        ("2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
    ]

    @Test("is read from any offset and precision, and written in one form", arguments: read)
    func reading(_ text: String, _ expected: String) throws {
        let moment = try #require(Timestamp(rfc3339: text))
        #expect(moment.rfc3339 == expected)
        #expect(Timestamp(rfc3339: moment.rfc3339) == moment)
        let bytes = Array(text.utf8)
        #expect(bytes.withUnsafeBytes { Timestamp(rfc3339: $0) } == moment)
        var written = [UInt8](repeating: 0, count: Timestamp.rfc3339Length)
        written.withUnsafeMutableBytes { moment.writeRFC3339(to: $0) }
        #expect(written == Array(expected.utf8))
    }

    static let refused = [
        "", "2026", "2026-11-30", "2026-11-30T01:02:03", "2026-11-30T01:02Z", "2026-11-30T01:02:03.Z", "2026-11-30T01:02:03,5Z",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-11-00T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T00:60:00Z", "2026-11-30T00:00:61Z", "2026-11-30T00:00:00+24:00",
        "2026-11-30T00:00:00+00:60", "2026-11-30T00:00:00+0100", "2026-11-30T00:00:00Zx", " 2026-11-30T00:00:00Z",
        "0000-12-31T23:59:59Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2026-11-30T00:00:00\u{FF3A}",
        "２026-11-30T00:00:00Z",
    ]

    @Test("is refused where the text is none, or names a time that does not exist", arguments: refused)
    func refusing(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test("counts from the Unix epoch")
    func epoch() {
        #expect(Timestamp(rfc3339: "1970-01-01T00:00:00Z") == Timestamp(milliseconds: 0))
        #expect(Timestamp(rfc3339: "0001-01-01T00:00:00Z") == .earliest)
        #expect(Timestamp(rfc3339: "9999-12-31T23:59:59.999Z") == .latest)
        #expect(Timestamp(rfc3339: "2026-11-30T01:02:03Z")?.milliseconds == 1_796_000_523_000)
    }
}
