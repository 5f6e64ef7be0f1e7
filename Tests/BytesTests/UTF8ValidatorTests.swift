import Bytes
import Testing

@Suite struct UTF8ValidatorTests {
    func isValid(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { UTF8Validator.isValid($0) } }

    /// Index of the byte at which the validator, fed byte by byte, gives up.
    func firstFault(_ bytes: [UInt8]) -> Int? {
        var validator = UTF8Validator()
        return bytes.indices.first { index in !bytes[index...index].withUnsafeBytes { validator.update($0) } }
    }

    @Test("every scalar is taken, at every split")
    func scalars() {
        for value in stride(from: UInt32(0), through: 0x10FFFF, by: 7) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let bytes = Array(String(Character(scalar)).utf8)
            #expect(isValid(bytes))
            for cut in 1..<max(bytes.count, 1) where bytes.count > 1 {
                #expect(!isValid(Array(bytes[..<cut])))
                var validator = UTF8Validator()
                let head = bytes[..<cut].withUnsafeBytes { validator.update($0) }
                #expect(head && !validator.isComplete)
                let tail = bytes[cut...].withUnsafeBytes { validator.update($0) }
                #expect(tail && validator.isComplete)
            }
        }
    }

    @Test(
        "a fault is known at the first byte that no continuation could repair",
        arguments: [
            ([0x80], 0), ([0xBF], 0), ([0xC0], 0), ([0xC1], 0), ([0xF5], 0), ([0xFF], 0), ([0xC2, 0x41], 1), ([0xE0, 0x9F], 1),
            ([0xED, 0xA0], 1),
            ([0xF0, 0x8F], 1), ([0xF4, 0x90], 1), ([0xE2, 0x82, 0x41], 2), ([0xF0, 0x90, 0x80, 0xC0], 3),
            ([0x41, 0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xED, 0xA0, 0x80], 7),
        ] as [([UInt8], Int)])
    func faults(bytes: [UInt8], index: Int) {
        #expect(firstFault(bytes) == index)
        #expect(!isValid(bytes))
        // The same behind a run of ASCII that the fast path takes, whatever the alignment.
        for run in 1..<20 { #expect(!isValid([UInt8](repeating: 0x41, count: run) + bytes + [UInt8](repeating: 0x41, count: 20))) }
    }

    @Test("all two- and three-byte sequences agree with the standard library")
    func exhaustive() {
        for first in UInt8.min ... .max {
            for second in UInt8.min ... .max {
                let pair = [first, second]
                #expect(isValid(pair) == (String(validating: pair, as: UTF8.self) != nil))
            }
        }
        for first in UInt8(0xE0)...0xF4 {
            for second in stride(from: UInt8(0x7F), through: 0xC0, by: 1) {
                for third in [UInt8(0x7F), 0x80, 0xBF, 0xC0] {
                    for tail in [[], [0x80], [0xBF], [0xC0]] as [[UInt8]] {
                        let bytes = [first, second, third] + tail
                        #expect(isValid(bytes) == (String(validating: bytes, as: UTF8.self) != nil))
                    }
                }
            }
        }
    }
}
