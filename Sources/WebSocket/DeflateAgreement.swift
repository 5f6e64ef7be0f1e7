/// What the two sides agreed on about permessage-deflate (RFC 7692 §7.1), seen from this side.
public struct DeflateAgreement: Hashable, Sendable {
    /// Whether the peer's messages may refer back to its earlier ones: then this side keeps a window for the connection.
    public var peerTakesContextOver: Bool
    /// Binary logarithm of the largest window that the peer uses, 8–15.
    public var peerWindowBits: UInt8
    /// Binary logarithm of the largest window that this side may use, 8–15.
    public var ownWindowBits: UInt8

    /// An agreement; the defaults are the extension's own with no context kept by the peer.
    public init(peerTakesContextOver: Bool = false, peerWindowBits: UInt8 = 15, ownWindowBits: UInt8 = 15) {
        self.peerTakesContextOver = peerTakesContextOver
        self.peerWindowBits = peerWindowBits
        self.ownWindowBits = ownWindowBits
    }
}

/// How a side takes part in permessage-deflate. This side never keeps a context of its own from message to message, so
/// that one compressed message serves every connection.
public struct DeflateOptions: Hashable, Sendable {
    /// Whether the peer may keep its context. It compresses better and costs up to 44 KiB a connection that uses it.
    public var allowsPeerContext: Bool

    /// Options; by default the peer is asked to keep no context.
    public init(allowsPeerContext: Bool = false) {
        self.allowsPeerContext = allowsPeerContext
    }
}

/// The four parameters of the extension as one offer or response gives them.
struct DeflateParameters: Hashable {
    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    var serverMaxWindowBits: UInt8?
    /// Present, and with a value if there is one.
    var clientMaxWindowBits: UInt8??

    static let name = "permessage-deflate"

    /// Reads the parameters; nil if one is unknown, stands there twice or has a bad value (RFC 7692 §7.1).
    init?(_ element: WebSocketExtension, isOffer: Bool) {
        guard element.name == DeflateParameters.name, Set(element.parameters.map(\.name)).count == element.parameters.count else {
            return nil
        }
        for parameter in element.parameters {
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil): serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): clientNoContextTakeover = true
            case ("server_max_window_bits", let value?):
                guard let bits = DeflateParameters.windowBits(value) else { return nil }
                serverMaxWindowBits = bits
            case ("client_max_window_bits", nil) where isOffer: clientMaxWindowBits = .some(nil)
            case ("client_max_window_bits", let value?):
                guard let bits = DeflateParameters.windowBits(value) else { return nil }
                clientMaxWindowBits = bits
            default: return nil
            }
        }
    }

    /// 8 to 15 without a leading zero.
    private static func windowBits(_ text: String) -> UInt8? {
        guard let bits = UInt8(text), (8...15).contains(bits), String(bits) == text else { return nil }
        return bits
    }
}

extension DeflateOptions {
    /// The server's answer to a client's extensions: the first offer that can be met, as the header's value and what it
    /// means; nil if there is none, and the connection goes on uncompressed.
    package func answer(to offers: [WebSocketExtension]) -> (header: String, agreement: DeflateAgreement)? {
        for offer in offers {
            guard let parameters = DeflateParameters(offer, isOffer: true) else { continue }
            var header = DeflateParameters.name + "; server_no_context_takeover"
            var agreement = DeflateAgreement(peerTakesContextOver: allowsPeerContext && !parameters.clientNoContextTakeover)
            if !agreement.peerTakesContextOver { header += "; client_no_context_takeover" }
            if let bits = parameters.serverMaxWindowBits {
                header += "; server_max_window_bits=\(bits)"
                agreement.ownWindowBits = bits
            }
            return (header, agreement)
        }
        return nil
    }

    /// What a client offers.
    var offer: String {
        let takeover = allowsPeerContext ? "" : "; server_no_context_takeover"
        return DeflateParameters.name + takeover + "; client_no_context_takeover; client_max_window_bits"
    }

    /// What a server's response to `offer` means; nil if it is not a response that the offer allows, which fails the handshake.
    func agreement(from response: WebSocketExtension) -> DeflateAgreement? {
        guard let parameters = DeflateParameters(response, isOffer: false) else { return nil }
        // A server that was asked to keep no context must say that it doesn't (RFC 7692 §7.1.1.1).
        if !allowsPeerContext && !parameters.serverNoContextTakeover { return nil }
        var agreement = DeflateAgreement(peerTakesContextOver: !parameters.serverNoContextTakeover)
        if let bits = parameters.serverMaxWindowBits { agreement.peerWindowBits = bits }
        if case .some(.some(let bits)) = parameters.clientMaxWindowBits { agreement.ownWindowBits = bits }
        return agreement
    }
}
