// swift-tools-version: 6.2

import PackageDescription

/// The build enforces the rules of the code: no warning survives, concurrency is checked, imports say what they expose.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], resources: resources, swiftSettings: strict)
}

func library(_ name: String, pkgConfig: String? = nil, apt: String...) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: apt.isEmpty ? nil : [.apt(apt)])
}

let package = Package(
    name: "TodoSync",
    products: [
        .executable(name: "todo-server", targets: ["TodoServer"]),
        .executable(name: "todo-load", targets: ["TodoLoad"]),
        .executable(name: "todo-echo", targets: ["TodoEcho"]),
        .executable(name: "todo-simulate", targets: ["SimulationRun"]),
        .library(name: "TodoClient", targets: ["TodoClient"]),
    ],
    targets: [
        library("CLinux"),
        library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),

        module("Bytes", ["CSimdJSON"]),
        module("Crypto", ["COpenSSL"]),
        module("WebToken", ["Bytes", "Crypto"]),
        module("WebSocket", ["Bytes", "Crypto", "CZlib"]),
        module("Todo", []),
        module("TodoProtocol", ["Bytes", "Todo"]),
        module("TodoStore", ["Todo", "CLinux", "CSQLite"]),
        module("Network", ["Bytes", "Crypto", "CLinux"]),
        module("TodoSync", ["Bytes", "Crypto", "WebToken", "Todo", "TodoProtocol", "TodoStore"]),
        module("TodoClient", ["Bytes", "Crypto", "WebSocket", "Todo", "TodoProtocol", "Network"]),

        program("TodoServer", ["Bytes", "Crypto", "WebToken", "WebSocket", "Todo", "TodoProtocol", "TodoStore", "Network", "TodoSync"]),
        program("TodoLoad", ["Bytes", "Crypto", "WebSocket", "Todo", "TodoProtocol", "Network", "TodoClient"]),
        program("TodoEcho", ["Bytes", "Crypto", "WebSocket", "Network"]),

        .executableTarget(
            name: "TodoBenchmarks", dependencies: ["Bytes", "Todo", "TodoProtocol", "TodoStore", "TodoSync"], path: "Tests/Benchmarks",
            exclude: ["run.sh", "README.md", "edge.py"], swiftSettings: strict),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        tests("BytesTests", ["Bytes"]),
        tests("CryptoTests", ["Crypto"]),
        tests("WebTokenTests", ["Bytes", "Crypto", "WebToken"]),
        tests("WebSocketTests", ["Bytes", "WebSocket"], resources: [.copy("Vectors")]),
        tests("TodoTests", ["Todo"]),
        tests("TodoProtocolTests", ["Bytes", "Todo", "TodoProtocol"]),
        tests("TodoStoreTests", ["Todo", "TodoStore"]),
        tests("NetworkTests", ["Bytes", "Crypto", "CLinux", "Network", "TodoEcho"]),
        tests("TodoSyncTests", ["Bytes", "Crypto", "WebToken", "Todo", "TodoProtocol", "TodoStore", "TodoSync"]),
        tests("TodoClientTests", ["Bytes", "WebSocket", "Todo", "TodoProtocol", "Network", "TodoClient"]),
        tests("TodoServerTests", ["Bytes", "CLinux", "WebSocket", "Network", "TodoServer"]),
        tests("TodoLoadTests", ["Todo", "TodoProtocol", "TodoLoad"]),
        .target(
            name: "Simulation",
            dependencies: [
                "Bytes", "Crypto", "WebSocket", "Todo", "TodoProtocol", "TodoStore", "TodoSync", "TodoClient", "TestSupport",
            ], path: "Tests/Simulation", swiftSettings: strict),
        .executableTarget(
            name: "SimulationRun", dependencies: ["Simulation"], path: "Tests/SimulationRun", swiftSettings: strict),
        tests("SimulationTests", ["Simulation"]),
        tests("ArchitectureTests", []),
        tests("BlackBoxTests", ["Bytes", "WebSocket", "Todo", "TodoProtocol", "Network", "TodoClient"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
