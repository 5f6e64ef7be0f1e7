internal import COpenSSL

/// Whether two secrets are equal, in a time that depends on their length only, so that timing tells nothing about their content.
public func constantTimeEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
}
