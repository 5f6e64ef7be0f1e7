/// One element of a `Sec-WebSocket-Extensions` header (RFC 6455 §9.1): a name and its parameters in order.
package struct WebSocketExtension: Hashable {
    var name: String
    var parameters: [Parameter] = []

    struct Parameter: Hashable {
        var name: String
        var value: String?
    }

    /// Reads all header lines of that name; nil if any of them breaks the grammar, which fails the handshake.
    package static func parse(_ headerValues: [String]) -> [WebSocketExtension]? {
        var extensions: [WebSocketExtension] = []
        for value in headerValues {
            var reader = Reader(bytes: Array(value.utf8))
            guard reader.readList(into: &extensions) else { return nil }
        }
        return extensions
    }

    private struct Reader {
        let bytes: [UInt8]
        var at = 0

        mutating func readList(into extensions: inout [WebSocketExtension]) -> Bool {
            var found = false
            repeat {
                skipBlanks()
                // A list may hold empty elements (RFC 9110 §5.6.1), though not only such.
                if at == bytes.count || bytes[at] == UInt8(ascii: ",") { continue }
                guard let element = readExtension() else { return false }
                extensions.append(element)
                found = true
            } while take(",")
            return found && at == bytes.count
        }

        private mutating func readExtension() -> WebSocketExtension? {
            guard let name = readToken() else { return nil }
            var result = WebSocketExtension(name: name.lowercased())
            skipBlanks()
            while take(";") {
                skipBlanks()
                guard let name = readToken() else { return nil }
                var parameter = WebSocketExtension.Parameter(name: name.lowercased())
                skipBlanks()
                if take("=") {
                    skipBlanks()
                    guard let value = at < bytes.count && bytes[at] == UInt8(ascii: "\"") ? readQuoted() : readToken() else { return nil }
                    parameter.value = value
                    skipBlanks()
                }
                result.parameters.append(parameter)
            }
            return result
        }

        private mutating func readToken() -> String? {
            let begin = at
            while at < bytes.count, isTokenByte(bytes[at]) { at += 1 }
            return at > begin ? String(decoding: bytes[begin..<at], as: UTF8.self) : nil
        }

        /// A quoted string, whose content must be a token (RFC 6455 §9.1).
        private mutating func readQuoted() -> String? {
            at += 1
            var text: [UInt8] = []
            while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
                if bytes[at] == UInt8(ascii: "\\") { at += 1 }
                guard at < bytes.count, isTokenByte(bytes[at]) else { return nil }
                text.append(bytes[at])
                at += 1
            }
            guard take("\""), !text.isEmpty else { return nil }
            return String(decoding: text, as: UTF8.self)
        }

        private mutating func skipBlanks() {
            while at < bytes.count, bytes[at] == UInt8(ascii: " ") || bytes[at] == UInt8(ascii: "\t") { at += 1 }
        }

        private mutating func take(_ character: Character) -> Bool {
            guard at < bytes.count, bytes[at] == character.asciiValue else { return false }
            at += 1
            return true
        }
    }
}
