/// The media types of the files that a web page is made of.
enum ContentType {
    static let plainText = "text/plain; charset=utf-8"

    /// The type for a file's name, by its ending.
    static func of(fileName: String) -> String {
        guard let dot = fileName.lastIndex(of: ".") else { return "application/octet-stream" }
        return types[fileName[fileName.index(after: dot)...].lowercased()] ?? "application/octet-stream"
    }

    /// Whether files of this type shrink when compressed; pictures and fonts are compressed already.
    static func isCompressible(_ type: String) -> Bool {
        type.hasPrefix("text/") || type.contains("json") || type.contains("javascript") || type.contains("xml")
    }

    private static let types: [String: String] = [
        "html": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "mjs": "text/javascript; charset=utf-8",
        "json": "application/json",
        "map": "application/json",
        "webmanifest": "application/manifest+json",
        "txt": plainText,
        "md": "text/markdown; charset=utf-8",
        "xml": "application/xml",
        "svg": "image/svg+xml",
        "png": "image/png",
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "gif": "image/gif",
        "webp": "image/webp",
        "ico": "image/vnd.microsoft.icon",
        "woff": "font/woff",
        "woff2": "font/woff2",
        "wasm": "application/wasm",
        "pdf": "application/pdf",
    ]
}
