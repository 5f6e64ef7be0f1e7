import Foundation
import Testing

/// The table of targets in Sources/ARCHITECTURE.md, held against the sources: who may import whom.
struct ImportTableTests {
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Sources")

    /// What each target may import of the package's own targets; C libraries belong to one target each, `CLinux` to those that make the system's calls.
    private static let allowed: [String: Set<String>] = [
        "Bytes": ["CSimdJSON"],
        "Crypto": ["COpenSSL"],
        "WebToken": ["Bytes", "Crypto"],
        "WebSocket": ["Bytes", "Crypto", "CZlib"],
        "Todo": [],
        "TodoProtocol": ["Bytes", "Todo"],
        "TodoStore": ["Todo", "CLinux", "CSQLite"],
        "Network": ["Bytes", "Crypto", "CLinux"],
        "TodoSync": ["Bytes", "Crypto", "WebToken", "Todo", "TodoProtocol", "TodoStore"],
        "TodoServer": ["Bytes", "Crypto", "WebToken", "WebSocket", "Todo", "TodoProtocol", "TodoStore", "Network", "TodoSync"],
        "TodoClient": ["Bytes", "Crypto", "WebSocket", "Todo", "TodoProtocol", "Network"],
        "TodoLoad": ["Bytes", "Crypto", "WebSocket", "Todo", "TodoProtocol", "Network", "TodoClient"],
        "TodoEcho": ["Bytes", "Crypto", "WebSocket", "Network"],
    ]

    /// Modules of the toolchain that any target may import.
    private static let toolchain: Set<String> = ["Foundation", "Dispatch", "Synchronization", "Glibc"]

    private static func swiftTargets() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: sources.appending(path: name).path, isDirectory: &isFolder)
            return isFolder.boolValue && !name.hasPrefix("C") || name == "Crypto"
        }
    }

    private static func imports(of target: String) throws -> [(file: String, module: String)] {
        let folder = sources.appending(path: target)
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try files.filter { $0.hasSuffix(".swift") }.flatMap { file in
            try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard let place = words.firstIndex(of: "import"), place <= 2, place + 1 < words.count,
                    words[..<place].allSatisfy({ ["public", "package", "internal", "@preconcurrency"].contains(String($0)) })
                else { return nil }
                return (file, String(words[place + 1].split(separator: ".")[0]))
            }
        }
    }

    @Test func `every target of the sources stands in the table`() throws {
        #expect(try Set(Self.swiftTargets()) == Set(Self.allowed.keys))
    }

    @Test(arguments: allowed.keys.sorted())
    func `a target imports only what the table allows`(target: String) throws {
        let allowed = try #require(Self.allowed[target]).union(Self.toolchain)
        let imports = try Self.imports(of: target)
        #expect(!imports.isEmpty || Self.allowed[target] == [])
        for (file, module) in imports {
            #expect(allowed.contains(module), "Sources/\(target)/\(file) imports \(module)")
        }
    }

    /// `CLinux` is no library: it has the system's own calls, for those who make them.
    @Test func `each C library is imported by one target`() throws {
        var importers: [String: Set<String>] = [:]
        for target in Self.allowed.keys {
            for (_, module) in try Self.imports(of: target) where module.hasPrefix("C") && !["Crypto", "CLinux"].contains(module) {
                importers[module, default: []].insert(target)
            }
        }
        #expect(importers.count >= 4)
        for (library, targets) in importers { #expect(targets.count == 1, "\(library) is imported by \(targets.sorted())") }
    }

    @Test func `the sources stay readable in one sitting`() throws {
        for target in try Self.swiftTargets() {
            let folder = Self.sources.appending(path: target)
            let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            for file in files where file.hasSuffix(".swift") {
                let lines = try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(
                    separator: "\n", omittingEmptySubsequences: false)
                #expect(lines.count <= 501, "Sources/\(target)/\(file) has \(lines.count) lines")
            }
        }
    }
}
