import Bytes
import Testing

@Suite struct ByteWriterTests {
    @Test("an empty writer holds no memory and finishes as no bytes")
    func empty() {
        var writer = ByteWriter()
        let capacity = writer.capacity
        #expect(capacity == 0)
        #expect(writer.finish().isEmpty)
        #expect(SharedBytes().array.isEmpty)
    }

    @Test("everything appended stands there in order")
    func append() {
        var writer = ByteWriter()
        writer.append(UInt8(1))
        writer.append(bigEndian: UInt16(0x0203))
        writer.append("ab")
        writer.append(utf8: "ü")
        writer.append([9, 8])
        writer.append(SharedBytes([7]))
        writer.append(decimal: -120)
        #expect(writer.finish().array == [1, 2, 3, 0x61, 0x62, 0xC3, 0xBC, 9, 8, 7] + Array("-120".utf8))
        #expect(writer.withUnsafeBytes { $0.isEmpty })
    }

    @Test(
        "numbers are written in decimal from one end of the range to the other",
        arguments: [0, 9, 10, 99, 100, -1, 1_234_567_890, .max, .min])
    func decimal(value: Int64) {
        var writer = ByteWriter()
        writer.append(decimal: value)
        #expect(writer.finish().string == String(value))
    }

    @Test("every power of ten and its neighbours is written in decimal")
    func powers() {
        var power: Int64 = 1
        for _ in 0..<18 {
            power *= 10
            for value in [power - 1, power, power + 1, -power] {
                var writer = ByteWriter()
                writer.append(decimal: value)
                #expect(writer.finish().string == String(value))
            }
        }
    }

    @Test("growing keeps what was written")
    func growth() {
        var writer = ByteWriter()
        for value in 0..<100_000 { writer.append(UInt8(truncatingIfNeeded: value)) }
        let bytes = writer.finish()
        #expect(bytes.count == 100_000)
        #expect(bytes.array == (0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test("finished bytes are not touched by what the writer does next")
    func independence() {
        var writer = ByteWriter(capacity: 1024)
        writer.append("first")
        let first = writer.finish()
        writer.append("other")
        let second = writer.finish()
        #expect(first.string == "first")
        #expect(second.string == "other")
        var full = ByteWriter()
        full.append([UInt8](repeating: 1, count: 64))
        let handedOver = full.finish()
        full.append([UInt8](repeating: 2, count: 64))
        #expect(handedOver.array == [UInt8](repeating: 1, count: 64))
    }

    @Test("patching, cutting and dropping change what was written and nothing else")
    func edit() {
        var writer = ByteWriter()
        writer.append("0123456789")
        writer.patch(UInt8(ascii: "x"), at: 1)
        writer.patch(bigEndian: UInt16(0x7979), at: 8)
        writer.truncate(to: 9)
        writer.removeFirst(1)
        #expect(writer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } == "x234567y")
        let room = writer.capacity
        writer.removeAll()
        #expect(writer.withUnsafeBytes { $0.isEmpty })
        let kept = writer.capacity
        #expect(kept == room)
        writer.release()
        let released = writer.capacity
        #expect(released == 0)
    }

    @Test("a body may write into the room it asked for")
    func inPlace() {
        var writer = ByteWriter()
        writer.append("a")
        writer.append(upTo: 100) { room in
            room[0] = UInt8(ascii: "b")
            return 1
        }
        #expect(writer.finish().string == "ab")
    }

    @Test("shared bytes compare and hash by content")
    func equality() {
        let one = SharedBytes(utf8: "same")
        let other = SharedBytes(Array("same".utf8))
        #expect(one == other)
        #expect(Set([one, other]).count == 1)
        #expect(one != SharedBytes(utf8: "sama"))
        #expect(one[3] == UInt8(ascii: "e"))
        #expect("\(one)" == "SharedBytes(4)")
    }
}
