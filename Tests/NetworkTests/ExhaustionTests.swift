import CLinux
import Glibc
import Network
import Testing

/// Descriptors belong to the whole process, so running out of them is tested on a server of its own: the echo program under a low limit.
@Suite struct ExhaustionTests {
    /// The echo program, with what it writes.
    private final class EchoProgram {
        let process: pid_t
        let port: Int
        private let output: Int32

        init(openFilesMax: Int) throws {
            var pipes: [Int32] = [-1, -1]
            try #require(pipe(&pipes) == 0)
            output = pipes[0]
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
            posix_spawn_file_actions_adddup2(&actions, pipes[1], 2)
            // The test process has many files open, and what it leaves open would count.
            posix_spawn_file_actions_addclosefrom_np(&actions, 3)
            defer { posix_spawn_file_actions_destroy(&actions) }
            let program = try #require(EchoProgram.path)
            let command = ["/bin/sh", "-c", "ulimit -n \(openFilesMax); exec \"$0\" --port 0", program]
            var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            var process: pid_t = 0
            let result = posix_spawn(&process, "/bin/sh", &actions, nil, &arguments, nil)
            close(pipes[1])
            try #require(result == 0)
            self.process = process
            let line = EchoProgram.read(output)
            port = Int(line.drop { $0 != "1" }.dropFirst("127.0.0.1:".count).prefix { $0.isNumber }) ?? 0
        }

        /// Programs are built beside the tests.
        private static var path: String? {
            guard let own = realpath("/proc/self/exe", nil) else { return nil }
            defer { free(own) }
            return String(cString: own).split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/todo-echo"
        }

        private static func read(_ descriptor: Int32) -> String {
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            return String(decoding: bytes[0..<max(0, count)], as: UTF8.self)
        }

        /// Stops it and gives back what it wrote after its first line.
        func stop() -> String {
            kill(process, SIGTERM)
            var status: Int32 = 0
            waitpid(process, &status, 0)
            #expect(status == 0, "the program ends in order")
            var all = ""
            while true {
                let piece = EchoProgram.read(output)
                if piece.isEmpty { return all }
                all += piece
            }
        }

        deinit {
            close(output)
        }
    }

    /// A connection that has asked for a WebSocket.
    private func ask(_ port: Int) throws -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        try #require(result == 0)
        var request =
            "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        request.withUTF8 { _ = send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        return client
    }

    /// Whether the connection was served; one that was turned away has ended.
    private func isServed(_ client: Int32) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1_000)
        let count = recv(client, &bytes, bytes.count, 0)
        return count > 0 && String(decoding: bytes[0..<count], as: UTF8.self).hasPrefix("HTTP/1.1 101 ")
    }

    @Test func `out of descriptors, the server turns peers away, says so once, and serves again when it can`() throws {
        let program = try EchoProgram(openFilesMax: 24)
        let clients = try (0..<40).map { _ in try ask(program.port) }
        let served = clients.filter(isServed)
        #expect(served.count >= 10)
        #expect(served.count < 24)
        // Those that are served are not disturbed.
        let frame: [UInt8] = [0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]
        for client in served {
            var bytes = [UInt8](repeating: 0, count: 16)
            send(client, frame, frame.count, Int32(MSG_NOSIGNAL))
            #expect(recv(client, &bytes, bytes.count, 0) == 4)
        }
        for client in clients { close(client) }
        // The places become free as the server sees the ends; every one of these comes after at least one of them.
        var servedAgain = 0
        for _ in 0..<200 where servedAgain < 5 {
            let client = try ask(program.port)
            if isServed(client) { servedAgain += 1 }
            close(client)
        }
        #expect(servedAgain == 5)
        let complaints = program.stop().split(separator: "\n").filter { $0.contains("cannot accept a connection") }
        #expect(complaints.count >= 1)
        #expect(complaints.count <= 3)
        #expect(complaints.first?.contains("no file descriptor left") == true)
    }
}
