import Bytes
import TestSupport
import Testing

@Suite struct JSONParserTests {
    func fault(_ text: String) -> JSONError? { fault(Array(text.utf8)) }

    func fault(_ bytes: [UInt8]) -> JSONError? {
        var parser = JSONParser()
        return bytes.withUnsafeBytes { bytes in
            parser.parse(bytes) { outcome in
                switch outcome {
                case .success: nil
                case .failure(let error): error
                }
            }
        }
    }

    /// The value written again by the writer: shows every kind of walk.
    func rewritten(_ text: String) throws -> String {
        func write(_ value: JSONValue, _ json: inout JSONWriter) {
            switch value.kind {
            case .null: json.null()
            case .bool: json.value(value.bool == true)
            case .number: json.raw(value.rawJSON)
            case .string: json.value(value.string ?? "")
            case .array:
                json.beginArray()
                if let elements = value.elements { for element in elements { write(element, &json) } }
                json.endArray()
            case .object:
                json.beginObject()
                if let members = value.members {
                    for (key, member) in members {
                        json.key(escaping: key.string ?? "")
                        write(member, &json)
                    }
                }
                json.endObject()
            }
        }
        var parser = JSONParser()
        return try parser.read(text) { root in
            var json = JSONWriter()
            write(root, &json)
            return json.finish().string
        }
    }

    @Test(
        "a document is walked as it was sent",
        arguments: [
            "null", "true", "false", "0", "-1", "\"\"", "[]", "{}", "[[],{},[{}]]", #"{"a":1,"b":[1,2,{"c":null}],"d":{"e":"f"}}"#,
            #"["\"\\\b\f\n\r\t"]"#, #"{"":{"":[]}}"#, "[1.5,1e2,-0,100000000000000000000000]",
        ])
    func walk(text: String) throws {
        #expect(try rewritten(text) == text)
    }

    @Test("white space may stand between all tokens")
    func whiteSpace() throws {
        #expect(try rewritten(" \t\r\n{ \"a\" : [ 1 , \"b\" ] , \"c\" : { } } \n") == #"{"a":[1,"b"],"c":{}}"#)
    }

    @Test(
        "a text that is not JSON is refused with the kind and place of the fault",
        arguments: [
            ("", JSONError(.empty, at: 0)), (" \n", JSONError(.empty, at: 0)),
            ("{", JSONError(.incomplete, at: 1)), ("[1,", JSONError(.incomplete, at: 3)), ("[1", JSONError(.incomplete, at: 2)),
            ("{\"a\"", JSONError(.incomplete, at: 4)), ("{\"a\":", JSONError(.incomplete, at: 5)), ("\"abc", JSONError(.incomplete, at: 0)),
            ("[\"a\",\"b]", JSONError(.incomplete, at: 5)), ("\"\\\"", JSONError(.incomplete, at: 0)),
            ("]", JSONError(.syntax, at: 0)), ("[1,]", JSONError(.syntax, at: 3)), ("[,1]", JSONError(.syntax, at: 1)),
            ("[1 2]", JSONError(.syntax, at: 3)), ("[1}", JSONError(.syntax, at: 2)), ("{\"a\":1]", JSONError(.syntax, at: 6)),
            ("{\"a\" 1}", JSONError(.syntax, at: 5)), ("{1:2}", JSONError(.syntax, at: 1)), ("{\"a\":1,}", JSONError(.syntax, at: 7)),
            ("{,}", JSONError(.syntax, at: 1)), ("[1:2]", JSONError(.syntax, at: 2)), ("{\"a\":}", JSONError(.syntax, at: 5)),
            ("\u{FEFF}1", JSONError(.syntax, at: 0)), ("'a'", JSONError(.syntax, at: 0)), ("[\\\"a\"]", JSONError(.incomplete, at: 4)),
            ("[a]", JSONError(.syntax, at: 1)), ("/**/1", JSONError(.syntax, at: 0)), ("\u{0}", JSONError(.syntax, at: 0)),
            ("\"a\"x", JSONError(.trailingContent, at: 3)), ("\"a\"\"b\"", JSONError(.trailingContent, at: 3)),
            ("1 2", JSONError(.trailingContent, at: 2)),
            ("{}{}", JSONError(.trailingContent, at: 2)), ("[]]", JSONError(.trailingContent, at: 2)),
            ("{} x", JSONError(.trailingContent, at: 3)),
            ("nul", JSONError(.badLiteral, at: 0)), ("nulx", JSONError(.badLiteral, at: 0)), ("[truee]", JSONError(.badLiteral, at: 1)),
            ("tru", JSONError(.badLiteral, at: 0)), ("[true\"a\"]", JSONError(.badLiteral, at: 1)),
            ("[fals]", JSONError(.badLiteral, at: 1)),
            ("NaN", JSONError(.syntax, at: 0)), ("01", JSONError(.badNumber, at: 0)), ("-01", JSONError(.badNumber, at: 0)),
            ("1.", JSONError(.badNumber, at: 0)), ("+1", JSONError(.badNumber, at: 0)), (".5", JSONError(.badNumber, at: 0)),
            ("-", JSONError(.badNumber, at: 0)), ("1e", JSONError(.badNumber, at: 0)), ("1e+", JSONError(.badNumber, at: 0)),
            ("0x1", JSONError(.badNumber, at: 0)), ("[1a]", JSONError(.badNumber, at: 1)), ("[-.1]", JSONError(.badNumber, at: 1)),
            ("1\u{0}", JSONError(.badNumber, at: 0)), ("[1\"a\"]", JSONError(.badNumber, at: 1)),
            ("-Infinity", JSONError(.badNumber, at: 0)),
            ("1e400", JSONError(.numberOutOfRange, at: 0)), ("[-1e309]", JSONError(.numberOutOfRange, at: 1)),
            ("1e99999999999999999999999", JSONError(.numberOutOfRange, at: 0)),
            (#"{"a":1,"a":2}"#, JSONError(.duplicateKey, at: 7)), (#"{"a":1,"\u0061":2}"#, JSONError(.duplicateKey, at: 7)),
            (#"[{"":1,"b":{"c":1},"":2}]"#, JSONError(.duplicateKey, at: 19)),
            (#"{"x":{"y":1,"z":2,"y":3}}"#, JSONError(.duplicateKey, at: 18)),
            (#""\ud800""#, JSONError(.loneSurrogate, at: 1)), (#""ab\udc00""#, JSONError(.loneSurrogate, at: 3)),
            (#""\ud800\ud800""#, JSONError(.loneSurrogate, at: 1)), (#""\ud800x""#, JSONError(.loneSurrogate, at: 1)),
            (#""\ud83d\n""#, JSONError(.loneSurrogate, at: 1)), (#"{"\udfff":1}"#, JSONError(.loneSurrogate, at: 2)),
            (#""\udbff\u0041""#, JSONError(.loneSurrogate, at: 1)), (#""\ud800\u""#, JSONError(.loneSurrogate, at: 1)),
            (#""\x""#, JSONError(.badEscape, at: 1)), (#""\u12g4""#, JSONError(.badEscape, at: 1)),
            (#""\u12""#, JSONError(.badEscape, at: 1)),
            ("\"a\nb\"", JSONError(.controlCharacter, at: 2)), ("[\"a\",\"\t\"]", JSONError(.controlCharacter, at: 6)),
            ("\"a\u{0}\"", JSONError(.controlCharacter, at: 2)),
        ])
    func refused(text: String, error: JSONError) {
        #expect(fault(text) == error)
        #expect(!error.description.isEmpty)
    }

    @Test(
        "bytes that are not UTF-8 are refused, in and outside strings",
        arguments: [
            ([0x22, 0x61, 0x80, 0x22], 2), ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1),
            ([0x5B, 0xFF, 0x5D], 1), ([0x22, 0xE2, 0x82, 0x22], 1),
        ] as [([UInt8], Int)])
    func invalidUTF8(bytes: [UInt8], offset: Int) {
        #expect(fault(bytes) == JSONError(.invalidUTF8, at: offset))
    }

    @Test("nesting is taken to 64 and refused at 65, for arrays and objects")
    func depth() {
        func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        func objects(_ depth: Int) -> String { String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth) }
        #expect(fault(nested(64)) == nil)
        #expect(fault(nested(65)) == JSONError(.tooDeep, at: 64))
        #expect(fault(objects(64)) == nil)
        #expect(fault(objects(65)) == JSONError(.tooDeep, at: 64 * 5))
        #expect(fault(String(repeating: "[", count: 1_000_000)) == JSONError(.tooDeep, at: 64))
        #expect(fault("[" + (0..<200).map { _ in "[[]]" }.joined(separator: ",") + "]") == nil)
    }

    @Test(
        "whole numbers are exact, however they are written",
        arguments: [
            ("1", 1), ("1.0", 1), ("1e2", 100), ("1.5e1", 15), ("100e-2", 1), ("-0", 0), ("0.0", 0), ("0e999999999999", 0), ("-7.000", -7),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9007199254740993.0", 9_007_199_254_740_993),
            ("0.9223372036854775807e19", .max), ("1152921504606846976", 1_152_921_504_606_846_976), ("10000000000000000000000e-22", 1),
        ] as [(String, Int64)])
    func integers(text: String, value: Int64) throws {
        var parser = JSONParser()
        try parser.read(text) { root in
            #expect(root.int64 == value)
            #expect(root.double == Double(value))
            #expect(root.numberText == text)
        }
    }

    @Test(
        "other numbers are doubles and keep their text",
        arguments: [
            ("7.5", 7.5), ("1e-2", 0.01), ("9223372036854775808", 9_223_372_036_854_775_808.0),
            ("-9223372036854775809", -9_223_372_036_854_775_809.0),
            ("100000000000000000000000", 1e23), ("1e-400", 0), ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
            ("5e-324", .leastNonzeroMagnitude),
            ("0.1", 0.1), ("1e22", 1e22), ("1.1E+1", 11 as Double),
            ("123456789012345678901234567890.5", 123_456_789_012_345_678_901_234_567_890.5),
        ])
    func doubles(text: String, value: Double) throws {
        var parser = JSONParser()
        try parser.read("[" + text + "]") { root in
            let number = try #require(root.elements?.first { _ in true })
            #expect(number.kind == .number)
            #expect(number.double == value)
            #expect(number.numberText == text)
            #expect(number.int64 == (value == 11 ? 11 : nil))
        }
    }

    @Test("a number of half a million digits is read or refused at once")
    func longNumbers() throws {
        var parser = JSONParser()
        let digits = String(repeating: "9", count: 500_000)
        #expect(fault(digits) == JSONError(.numberOutOfRange, at: 0))
        try parser.read("0." + digits) { #expect($0.double == 1) }
        try parser.read("1" + String(repeating: "0", count: 500_000) + "e-500000") { #expect($0.int64 == 1) }
        try parser.read("0." + String(repeating: "0", count: 500_000) + "7e500001") { #expect($0.int64 == 7) }
    }

    @Test("escapes are resolved, surrogate pairs joined, and U+0000 reported")
    func strings() throws {
        var parser = JSONParser()
        try parser.read(#"["\u00e9\ud83d\ude00\/\u20ac","plain é","\u0000","","\uFFFF"]"#) { root in
            let elements = try #require(root.elements.map(Array.init))
            #expect(elements.map(\.string) == ["é😀/€", "plain é", "\u{0}", "", "\u{FFFF}"])
            #expect(elements.map(\.containsNUL) == [false, false, true, false, false])
            #expect(root.containsNUL)
            #expect(
                elements.map { String(decoding: $0.rawJSON, as: UTF8.self) } == [
                    #""\u00e9\ud83d\ude00\/\u20ac""#, "\"plain é\"", #""\u0000""#, "\"\"", #""\uFFFF""#,
                ])
        }
    }

    @Test("U+0000 is found in keys and strings at any depth")
    func deepNUL() throws {
        var parser = JSONParser()
        try parser.read(#"[{"a":[{"b\u0000":1}]},{"a":["b",1]},{"c":{"d":"\u0000"}},7]"#) { root in
            #expect(root.elements?.map(\.containsNUL) == [true, false, true, false])
        }
    }

    @Test("members are found by name, and a switch over a key names literals")
    func members() throws {
        var parser = JSONParser()
        try parser.read(#"{"id":7,"m\u0065thod":"info","params":{"deep":[1,{"x":2}]},"last":true}"#) { root in
            #expect(root["id"]?.int64 == 7)
            #expect(root["method"]?.isString("info") == true)
            #expect(root["method"]?.isString("inf") == false)
            #expect(root["last"]?.bool == true)
            #expect(root["absent"] == nil || root["absent"]?.isNull == false)
            #expect(root["params"]?.ownedJSON.string == #"{"deep":[1,{"x":2}]}"#)
            #expect(root.count == 4)
            var seen: [String] = []
            for (key, _) in try #require(root.members) {
                switch key {
                case "id": seen.append("i")
                case "method": seen.append("m")
                default: seen.append(key.string ?? "?")
                }
            }
            #expect(seen == ["i", "m", "params", "last"])
        }
    }

    @Test("getters of another kind answer nil")
    func wrongKind() throws {
        var parser = JSONParser()
        try parser.read("[null,true,1,\"1\",[],{}]") { root in
            let elements = try #require(root.elements.map(Array.init))
            #expect(elements.map(\.kind) == [.null, .bool, .number, .string, .array, .object])
            #expect(elements.map { $0.string != nil } == [false, false, false, true, false, false])
            #expect(elements.map { $0.int64 != nil } == [false, false, true, false, false, false])
            #expect(elements.map { $0.double != nil } == [false, false, true, false, false, false])
            #expect(elements.map { $0.bool != nil } == [false, true, false, false, false, false])
            #expect(elements.map { $0.elements != nil } == [false, false, false, false, true, false])
            #expect(elements.map { $0.members != nil } == [false, false, false, false, false, true])
            #expect(elements.map { $0.numberText != nil } == [false, false, true, false, false, false])
        }
    }

    @Test("a duplicate among 100,000 keys is found, and their absence too")
    func manyKeys() {
        let keys = (0..<100_000).map { "\"key\($0)\":\($0)" }
        #expect(fault("{" + keys.joined(separator: ",") + "}") == nil)
        #expect(fault("{" + keys.joined(separator: ",") + ",\"key500\":0}")?.reason == .duplicateKey)
        let sixteen = (0..<16).map { "\"\($0)\":0" }.joined(separator: ",")
        #expect(fault("{\(sixteen)}") == nil)
        #expect(fault("{\(sixteen),\"3\":0}")?.reason == .duplicateKey)
        #expect(fault("{\(sixteen),\"16\":0,\"17\":0}") == nil)
    }

    @Test("one parser reads large and small documents in turn")
    func reuse() throws {
        var parser = JSONParser()
        for size in [10, 300_000, 3, 70_000, 1, 5_000, 1_000_000, 2] {
            let text = "[" + (0..<size).map(String.init).joined(separator: ",") + "]"
            #expect(try parser.read(text) { root in root.elements?.reduce(0) { $0 + ($1.int64 ?? 0) } } == Int64(size * (size - 1) / 2))
        }
    }

    @Test("every prefix of a document is refused and crashes nothing")
    func prefixes() {
        let text = Array(#"{"id":1.5e3,"a":[true,false,null,"\ud83d\ude00 é"],"b":{"c":-12345678901234567890}}"#.utf8)
        for length in 0..<text.count { #expect(fault(Array(text[..<length])) != nil) }
        #expect(fault(text) == nil)
    }

    @Test("random damage to a document never crashes, and what is taken can be written and read again")
    func mutations() throws {
        var random = SplitMix(seed: UInt64.random(in: .min ... .max))
        print("seed \(random.state)")
        let text = Array(#"{"id":1.5e3,"a":[true,false,null,"\ud83d\ude00 é"],"b":{"c":-12345678901234567890,"d":"\\\""}} "#.utf8)
        let spice = Array("\"\\{}[]:,0123456789.eE+-tfnu \u{0}\n".utf8) + [0x80, 0xC3, 0xFF]
        var parser = JSONParser()
        for _ in 0..<20_000 {
            var bytes = text
            for _ in 0...random.next(upTo: 3) {
                let place = random.next(upTo: bytes.count)
                switch random.next(upTo: 3) {
                case 0: bytes[place] = spice[random.next(upTo: spice.count)]
                case 1: bytes.remove(at: place)
                default: bytes.insert(spice[random.next(upTo: spice.count)], at: place)
                }
            }
            let accepted = bytes.withUnsafeBytes { bytes in
                parser.parse(bytes) { outcome -> String? in
                    guard case .success(let root) = outcome else { return nil }
                    return String(decoding: root.rawJSON, as: UTF8.self)
                }
            }
            if let accepted { #expect(try rewritten(rewritten(accepted)) == rewritten(accepted)) }
        }
    }
}
