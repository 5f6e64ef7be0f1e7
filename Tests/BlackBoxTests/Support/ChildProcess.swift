import Foundation

/// A program that a test has started, in a process group of its own, with all that it prints in a file.
///
/// Its owner ends it: `kill` takes the whole group, so nothing that the program started outlives the test.
final class ChildProcess {
    /// Why a program could not be started.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// How a program ended.
    enum End: Equatable {
        case exit(Int32)
        case signal(Int32)
    }

    let identifier: pid_t
    private let output: URL
    private let outputStart: Int
    private(set) var end: End?

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - output: what its output is appended to.
    ///   - environment: set in addition to this process's own variables, without those that configure a server.
    init(_ program: String, _ arguments: [String], output: URL, environment: [String: String] = [:]) throws {
        let file = open(output.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure(description: "\(output.path) can't be written: \(Self.text(of: errno))") }
        defer { close(file) }
        self.output = output
        outputStart = Int(lseek(file, 0, SEEK_END))

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, file, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("TODOSYNC_") }
        variables.merge(environment) { $1 }
        var process = pid_t()
        let code = Self.withCStrings([program] + arguments) { arguments in
            Self.withCStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
                posix_spawn(&process, program, &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw Failure(description: "\(program) can't be started: \(Self.text(of: code))") }
        identifier = process
    }

    /// What it has printed so far.
    var printed: String {
        guard let data = try? Data(contentsOf: output) else { return "" }
        return String(decoding: data.dropFirst(outputStart), as: UTF8.self)
    }

    /// Whether it still runs.
    var isRunning: Bool {
        reap(WNOHANG)
        return end == nil
    }

    /// Sends a signal to the program itself.
    func signal(_ number: Int32) {
        if isRunning { Foundation.kill(identifier, number) }
    }

    /// `kill -9` for it and all that it started; returns when it is gone.
    func kill() {
        if isRunning {
            Foundation.kill(-identifier, SIGKILL)
            reap(0)
        } else {
            Foundation.kill(-identifier, SIGKILL)
        }
    }

    /// Waits for its end; kills it where that takes too long, which `end` then shows.
    func waitForEnd(seconds: Double) async throws -> End? {
        let isOver = try await holds(within: seconds) { !self.isRunning }
        if !isOver { kill() }
        return end
    }

    private func reap(_ options: Int32) {
        guard end == nil else { return }
        var status: Int32 = 0
        var result = waitpid(identifier, &status, options)
        while result < 0, errno == EINTR { result = waitpid(identifier, &status, options) }
        guard result == identifier else { return }
        let number = status & 0x7F
        end = number == 0 ? .exit((status >> 8) & 0xFF) : .signal(number)
    }

    private static func text(of code: Int32) -> String { String(cString: strerror(code)) }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("the list ends with a null and is never empty") }
            return body(base)
        }
    }
}
