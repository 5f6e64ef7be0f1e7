internal import Crypto

/// The key exchange of the opening handshake (RFC 6455 §1.3), which proves that both sides speak WebSocket.
package enum AcceptKey {
    /// What `Sec-WebSocket-Accept` must say to `key`.
    static func answer(to key: String) throws(CryptoError) -> String {
        Base64.encode(try SHA1.hash(utf8: key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
    }

    /// Whether `key` is sixteen bytes in base64. The unused bits of the last digit are not looked at, as decoders don't.
    package static func isValid(_ key: String) -> Bool {
        let digits = Array(key.utf8)
        guard digits.count == 24, digits.suffix(2) == [UInt8(ascii: "="), UInt8(ascii: "=")] else { return false }
        return digits.dropLast(2).allSatisfy { digit in
            switch digit {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
    }
}
