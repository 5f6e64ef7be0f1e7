import Foundation

/// Prints the problem the way a terminal program does and ends with that code.
func end(_ problem: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data("todo-server: \(problem)\n".utf8))
    exit(code)
}

do {
    if CommandLine.arguments.dropFirst().first == "user" {
        try UserCommand(arguments: Array(CommandLine.arguments.dropFirst(2)), environment: ProcessInfo.processInfo.environment).run()
        exit(0)
    }
    let configuration = try Configuration(
        arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
    switch configuration.notice {
    case .help: print(Configuration.help)
    case .version: print(Version.name)
    case nil: try Server.run(configuration)
    }
} catch let error as UsageError {
    end("\(error.message)\nTry 'todo-server --help'.", code: 2)
} catch {
    end("\(error)", code: 1)
}
