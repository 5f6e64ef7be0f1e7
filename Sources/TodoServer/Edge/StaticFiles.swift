import Bytes
import Crypto
import Glibc
import Network
import WebSocket

/// The files of the public folder, read once into memory: what a request can reach is settled at the start, so no path, however written, leads out of the
/// folder, and each file is hashed and compressed once.
struct StaticFiles: Sendable {
    /// One file in the forms in which it is served.
    struct File: Sendable {
        var contentType: String
        var content: SharedBytes
        /// Quoted, as it goes into the header: strong, made of the content.
        var entityTag: String
        /// Compressed, where that is shorter.
        var gzip: SharedBytes?
        /// The compressed form is other bytes, so it needs a tag of its own (RFC 9110 §8.8.3.3).
        var gzipEntityTag: String
    }

    /// A file may have at most so many bytes.
    static let fileBytesMax = 16 << 20
    /// All files together may have at most so many bytes: they stay in memory.
    static let totalBytesMax = 128 << 20
    /// How deep folders may lie in one another.
    static let depthMax = 16

    /// By path as in a decoded URL, such as `/style.css`; a folder's `index.html` also under the folder's own path, `/`.
    private(set) var files: [String: File] = [:]

    /// No files at all.
    init() {}

    /// Reads the folder. Names that begin with a dot and links that lead out of the folder are left out.
    ///
    /// - Throws: where the folder or a file in it can't be read or is too big.
    init(folder: String) throws(SystemError) {
        guard let root = Self.realPath(folder) else { throw SystemError("realpath", to: "read the public folder \(folder)") }
        var total = 0
        try read(folder: root, root: root, url: "/", depth: 0, total: &total)
    }

    /// The file for a decoded path, which begins with `/`.
    func file(at path: String) -> File? {
        files[path]
    }

    private mutating func read(folder: String, root: String, url: String, depth: Int, total: inout Int) throws(SystemError) {
        guard let directory = opendir(folder) else { throw SystemError("opendir", to: "read the folder \(folder)") }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard !name.hasPrefix("."), let path = Self.realPath("\(folder)/\(name)"), path.hasPrefix("\(root)/") else { continue }
            var status = stat()
            guard stat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR where depth < Self.depthMax:
                try read(folder: path, root: root, url: "\(url)\(name)/", depth: depth + 1, total: &total)
            case S_IFREG:
                total += Int(status.st_size)
                guard status.st_size <= Self.fileBytesMax, total <= Self.totalBytesMax else {
                    throw SystemError(
                        "read", to: "serve \(path)", code: EFBIG,
                        reason: "a public file has at most \(Self.fileBytesMax) bytes, all together at most \(Self.totalBytesMax)")
                }
                add(try Self.content(of: path), name: name, url: url)
            default: continue
            }
        }
    }

    private mutating func add(_ content: SharedBytes, name: String, url: String) {
        let type = ContentType.of(fileName: name)
        let hash = (try? content.withUnsafeBytes { bytes in try SHA256.hash(bytes) }) ?? []
        let tag = Base64.encodeURL([UInt8](hash.prefix(15)))
        let compressed = ContentType.isCompressible(type) ? Gzip.compress(content) : nil
        let file = File(
            contentType: type, content: content, entityTag: "\"\(tag)\"", gzip: compressed.flatMap { $0.count < content.count ? $0 : nil },
            gzipEntityTag: "\"\(tag)-gzip\"")
        files[url + name] = file
        if name == "index.html" { files[url] = file }
    }

    private static func content(of path: String) throws(SystemError) -> SharedBytes {
        let action = "read \(path)"
        let file = try Descriptor(result: open(path, O_RDONLY | O_CLOEXEC), of: "open", to: action)
        var bytes = ByteWriter()
        while true {
            var count = 0
            bytes.append(upTo: 65_536) { room in
                count = Glibc.read(file.number, room.baseAddress, room.count)
                return max(0, count)
            }
            if count == 0 { return bytes.finish() }
            if count < 0, errno != EINTR { throw SystemError("read", to: action) }
        }
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
