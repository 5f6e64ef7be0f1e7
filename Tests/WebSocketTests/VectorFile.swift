import Foundation
import Testing

/// One case of a vector file: its name and its lines as key and text, in order.
struct Vector: Sendable, CustomTestStringConvertible {
    var file: String
    var name: String
    var lines: [(key: String, text: String)] = []

    var testDescription: String { "\(file): \(name)" }

    /// Reads `Vectors/FILE`. A case begins with `name:`; other lines are `key: text` or, continuing a block, `| text`; `#` begins a comment line.
    static func load(_ file: String) -> [Vector] {
        guard let folder = Bundle.module.url(forResource: "Vectors", withExtension: nil),
            let text = try? String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
        else {
            Issue.record("there is no vector file \(file)")
            return []
        }
        var vectors: [Vector] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) where !line.hasPrefix("#") {
            if line.hasPrefix("|") {
                vectors[vectors.count - 1].lines.append(("|", String(line.dropFirst(line.hasPrefix("| ") ? 2 : 1))))
                continue
            }
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            let key = String(line[..<colon])
            let text = colon < line.endIndex ? line[line.index(after: colon)...].drop { $0 == " " } : ""
            if key == "name" {
                vectors.append(Vector(file: file, name: String(text)))
            } else {
                vectors[vectors.count - 1].lines.append((key, String(text)))
            }
        }
        return vectors
    }
}

/// Reads bytes out of a vector line: hexadecimal digits (`81 85`, `00000000`), texts in double quotes, each with an optional `*COUNT` behind it.
/// Stops at `|` or the end; returns nil for anything else.
func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var result: [UInt8] = []
    var rest = Substring(text)
    while let first = rest.first {
        if first == " " {
            rest = rest.dropFirst()
            continue
        }
        var part: [UInt8] = []
        if first == "\"" {
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: "\"") else { return nil }
            part = Array(rest[..<end].utf8)
            rest = rest[rest.index(after: end)...]
        } else {
            let digits = rest.prefix { $0.isHexDigit }
            guard !digits.isEmpty, digits.count % 2 == 0 else { return nil }
            let values = digits.compactMap(\.hexDigitValue)
            part = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] * 16 + values[$0 + 1]) }
            rest = rest[digits.endIndex...]
        }
        if rest.first == "*" {
            let count = rest.dropFirst().prefix { $0.isNumber }
            guard let times = Int(count) else { return nil }
            part = Array(repeatElement(part, count: times).joined())
            rest = rest[count.endIndex...]
        }
        result += part
    }
    return result
}

/// Every way to cut `count` bytes that a vector is replayed in: whole, at each place, and byte by byte. Long inputs are cut near their ends only.
func cuts(_ count: Int) -> [[Int]] {
    let places = count <= 600 ? Array(1..<max(count, 1)) : Array(1...20) + Array(count - 20..<count)
    return [[]] + places.map { [$0] } + (count > 1 ? [Array(1..<count)] : [])
}

/// `bytes` cut at the given places.
func pieces(_ bytes: [UInt8], _ cuts: [Int]) -> [[UInt8]] {
    let ends = cuts + [bytes.count]
    return zip([0] + cuts, ends).map { Array(bytes[$0..<$1]) }
}
