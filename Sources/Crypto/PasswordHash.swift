internal import COpenSSL

/// A password's scrypt hash (RFC 7914) with the parameters that made it, so that raising the cost later leaves old hashes valid.
///
/// Making and checking one takes tens of milliseconds and tens of megabytes on purpose: never on a thread that serves connections.
public struct PasswordHash: Hashable, Sendable {
    /// What one computation costs.
    public struct Cost: Hashable, Sendable {
        /// Binary logarithm of scrypt's N.
        public let logN: Int
        /// Block size r; memory is 128·r·N bytes.
        public let blockSize: Int
        /// Parallelism p.
        public let parallelism: Int

        /// 32 MiB and some tens of milliseconds.
        public static let standard = Cost(unchecked: 15, 8, 1)
        /// Bounds on what a stored text may ask for: a forged row must not take the server's memory or time.
        static let logNMax = 20
        static let blockSizeMax = 32
        static let parallelismMax = 16

        /// A cost within bounds; nil beyond them (`logN` 1–20, `blockSize` 1–32, `parallelism` 1–16).
        public init?(logN: Int, blockSize: Int, parallelism: Int) {
            let isInBounds =
                (1...Cost.logNMax).contains(logN) && (1...Cost.blockSizeMax).contains(blockSize)
                && (1...Cost.parallelismMax).contains(parallelism)
            guard isInBounds else { return nil }
            self.init(unchecked: logN, blockSize, parallelism)
        }

        private init(unchecked logN: Int, _ blockSize: Int, _ parallelism: Int) {
            self.logN = logN
            self.blockSize = blockSize
            self.parallelism = parallelism
        }
    }

    /// What computing it costs.
    public let cost: Cost
    let salt: [UInt8]
    let hash: [UInt8]

    /// Hashes a password under a fresh random salt.
    public static func make(_ password: String, cost: Cost = .standard) throws(CryptoError) -> PasswordHash {
        let salt = try RandomBytes.make(16)
        return PasswordHash(cost: cost, salt: salt, hash: try derive(password, salt, cost, count: 32))
    }

    /// Whether `password` is the one; compared in constant time.
    public func verify(_ password: String) throws(CryptoError) -> Bool {
        constantTimeEqual(try PasswordHash.derive(password, salt, cost, count: hash.count), hash)
    }

    /// The form to store: `scrypt$ln=15,r=8,p=1$SALT$HASH`, the last two in base64 without padding.
    public var text: String {
        let parameters = "ln=\(cost.logN),r=\(cost.blockSize),p=\(cost.parallelism)"
        return "scrypt$\(parameters)$\(Base64.encode(salt, padded: false))$\(Base64.encode(hash, padded: false))"
    }

    /// Reads the stored form; nil if it is not one, or asks for more than the bounds of `Cost`.
    public init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "scrypt" else { return nil }
        let parameters = parts[1].split(separator: ",", omittingEmptySubsequences: false)
        guard parameters.count == 3,
            let logN = PasswordHash.parameter("ln=", parameters[0]),
            let blockSize = PasswordHash.parameter("r=", parameters[1]),
            let parallelism = PasswordHash.parameter("p=", parameters[2]),
            let cost = Cost(logN: logN, blockSize: blockSize, parallelism: parallelism),
            let salt = Base64.decode(String(parts[2])), (8...64).contains(salt.count),
            let hash = Base64.decode(String(parts[3])), (16...64).contains(hash.count)
        else { return nil }
        self.init(cost: cost, salt: salt, hash: hash)
    }

    private init(cost: Cost, salt: [UInt8], hash: [UInt8]) {
        self.cost = cost
        self.salt = salt
        self.hash = hash
    }

    private static func parameter(_ name: String, _ text: Substring) -> Int? {
        text.hasPrefix(name) ? Int(text.dropFirst(name.count)) : nil
    }

    private static func derive(_ password: String, _ salt: [UInt8], _ cost: Cost, count: Int) throws(CryptoError) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: count)
        let secret = Array(password.utf8)
        let secretCount = secret.count
        let memoryMax = UInt64(128 * cost.blockSize) * (UInt64(1) << UInt64(cost.logN) + UInt64(cost.parallelism) + 2) + (1 << 20)
        let done = secret.withUnsafeBytes { secret in
            EVP_PBE_scrypt(
                secret.bindMemory(to: CChar.self).baseAddress, secretCount, salt, salt.count,
                UInt64(1) << UInt64(cost.logN), UInt64(cost.blockSize), UInt64(cost.parallelism), memoryMax, &key, count)
        }
        guard done == 1 else { throw CryptoError("scrypt") }
        return key
    }
}
