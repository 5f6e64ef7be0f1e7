import Bytes
import Testing

@Suite struct JSONWriterTests {
    func written(_ body: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        body(&json)
        return json.finish().string
    }

    @Test("keys and texts that are encoded already go in as they are, with commas around them")
    func encodedParts() {
        let text = written { json in
            json.beginObject()
            json.key(encoded: "\"a\":")
            json.string(upTo: 5) { buffer in
                buffer[0] = UInt8(ascii: "x")
                return 1
            }
            json.key(encoded: "\"b\":")
            json.value(2)
            json.endObject()
        }
        #expect(text == #"{"a":"x","b":2}"#)
    }

    @Test("commas come where they must and nowhere else")
    func commas() {
        let text = written { json in
            json.beginObject()
            json.key("a")
            json.beginArray()
            json.endArray()
            json.key("b")
            json.beginArray()
            json.value(1)
            json.beginObject()
            json.endObject()
            json.beginArray()
            json.null()
            json.value(true)
            json.value(false)
            json.endArray()
            json.raw("{\"x\":1}")
            json.raw(SharedBytes(utf8: "2"))
            json.literal("l")
            json.endArray()
            json.key(escaping: "c\"")
            json.value("d")
            json.endObject()
        }
        #expect(text == #"{"a":[],"b":[1,{},[null,true,false],{"x":1},2,"l"],"c\"":"d"}"#)
    }

    @Test("only what must be escaped is, and the rest keeps its bytes")
    func escaping() {
        let text = written { $0.value("\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{1F} !\"#/[\\]\u{7F}äπ😀") }
        #expect(text == ##""\u0000\u0001\b\t\n\u000b\f\r\u001f !\"#/[\\]"## + "\u{7F}äπ😀\"")
    }

    @Test("an escape is found at every place of a long text")
    func escapeAnywhere() throws {
        var parser = JSONParser()
        for length in 0..<40 {
            for place in 0..<max(length, 1) where length > 0 {
                for special in ["\"", "\\", "\n", "\u{1F}", "é", " "] {
                    var characters = [String](repeating: "x", count: length)
                    characters[place] = special
                    let text = characters.joined()
                    #expect(try parser.read(written { $0.value(text) }) { $0.string } == text)
                }
            }
        }
    }

    @Test(
        "doubles read back as they were, whole ones without point or exponent",
        arguments: [
            (0.0, "0"), (-0.0, "-0.0"), (1.0, "1"), (-3.0, "-3"), (0.1, "0.1"), (1.5, "1.5"), (9_007_199_254_740_992.0, "9007199254740992"),
            (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"), (.infinity, "null"), (.nan, "null"),
        ])
    func doubles(value: Double, text: String) {
        #expect(written { $0.value(value) } == text)
    }

    @Test("a writer can go on behind other bytes and be used again")
    func reuse() {
        var bytes = ByteWriter()
        bytes.append("head")
        var json = JSONWriter(appendingTo: bytes)
        json.value(Int64.min)
        #expect(json.finish().string == "head-9223372036854775808")
        json.value("again")
        #expect(json.finish().string == "\"again\"")
    }
}
