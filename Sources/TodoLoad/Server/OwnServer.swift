import Glibc
import Network
import Synchronization

/// A `todo-server` that this program starts for itself, on a port that the system chooses, with its data in a folder that goes with it.
final class OwnServer: Sendable {
    /// Why there is no server.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let process: pid_t
    /// Its WebSocket address.
    let url: String
    private let folder: String
    private let output: ServerOutput

    private init(process: pid_t, url: String, folder: String, output: ServerOutput) {
        self.process = process
        self.url = url
        self.folder = folder
        self.output = output
    }

    /// What the server wrote last.
    var lastLines: String { output.lastLines }

    /// Starts `todo-server`, which lies beside this program, and waits until it has told its address.
    ///
    /// - Parameter arguments: further flags for it.
    static func start(_ arguments: [String] = [], startMilliseconds: Int = 20_000) throws(Failure) -> OwnServer {
        let program = try programPath()
        let folder = try makeFolder()
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(description: "There is no pipe for the server's output: \(reason())") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let reading = Descriptor(owning: ends[0])
        let writing = Descriptor(owning: ends[1])
        let process: pid_t
        do {
            process = try spawn(program, arguments, folder: folder, output: writing.number)
        } catch {
            TemporaryFolder.remove(folder)
            throw error
        }
        writing.close()
        let output: ServerOutput
        do {
            output = try ServerOutput(reading)
        } catch {
            kill(process, SIGKILL)
            TemporaryFolder.remove(folder)
            throw Failure(description: error.description)
        }
        guard let address = output.waitForAddress(milliseconds: startMilliseconds) else {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            TemporaryFolder.remove(folder)
            throw Failure(description: "todo-server did not start. Its last words:\n\(output.lastLines)")
        }
        return OwnServer(process: process, url: address, folder: folder, output: output)
    }

    /// Whether the server has ended.
    var hasEnded: Bool { output.hasEnded }

    /// Ends the server in order, by force where it takes longer than 10 s, and removes its folder.
    func stop() {
        kill(process, SIGTERM)
        var status: Int32 = 0
        for _ in 0..<1_000 {
            if waitpid(process, &status, WNOHANG) != 0 { return TemporaryFolder.remove(folder) }
            usleep(10_000)
        }
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        TemporaryFolder.remove(folder)
    }

    private static func reason() -> String { SystemError.text(of: errno) }

    private static func programPath() throws(Failure) -> String {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { throw Failure(description: "The system does not tell where todo-load lies: \(reason())") }
        let own = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = own.lastIndex(of: "/").map { own[..<$0] } ?? ""
        let program = "\(folder)/todo-server"
        guard access(program, X_OK) == 0 else {
            let configuration = folder.hasSuffix("/debug") ? "" : "-c release "
            throw Failure(
                description: "There is no todo-server at \(program). Build it there (swift build \(configuration)--product todo-server), "
                    + "or give the address of a running server: --url ws://127.0.0.1:8080/sync")
        }
        return program
    }

    private static func makeFolder() throws(Failure) -> String {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/todo-load-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(description: "No folder can be made in \(base): \(reason())") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func spawn(_ program: String, _ arguments: [String], folder: String, output: Int32) throws(Failure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The signals that this program reads from a descriptor are not the server's business, and Ctrl-C is for this program to act on.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        var process = pid_t()
        let arguments = [program, "--demo", "--port", "0"] + arguments
        var variables: [String] = ["TMPDIR=\(folder)"]
        var next = environ
        while let entry = next.pointee {
            let variable = String(cString: entry)
            if !variable.hasPrefix("TMPDIR="), !variable.hasPrefix("TODOSYNC_") { variables.append(variable) }
            next += 1
        }
        let code = withCStrings(arguments) { arguments in
            withCStrings(variables) { variables in posix_spawn(&process, program, &actions, &attributes, arguments, variables) }
        }
        guard code == 0 else { throw Failure(description: "\(program) can't be started: \(SystemError.text(of: code))") }
        return process
    }

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
