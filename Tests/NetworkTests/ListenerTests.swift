import Glibc
import Network
import Testing

@Suite struct ListenerTests {
    @Test func `port 0 becomes the port that the system chose, and a second listener there is refused`() throws {
        let first = try Listener(on: .loopback(port: 0))
        let port = try #require(first.address.port)
        #expect(port > 0)
        let error = #expect(throws: SystemError.self) { _ = try Listener(on: .loopback(port: port)) }
        #expect(error?.code == EADDRINUSE)
        #expect(error?.description.contains("listen on 127.0.0.1:\(port)") == true)
        #expect(error?.advice?.contains("stop it, or choose another port") == true)
        #expect(first.address.port == port)
    }

    @Test func `an abandoned socket file is replaced, a used one and another file are not`() throws {
        let path = "/tmp/todosync-listener-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).sock"
        let address = try SocketAddress.unix(path: path)
        do {
            let first = try Listener(on: address)
            #expect(throws: SystemError.self) { _ = try Listener(on: address) }
            #expect(first.address.isUnix)
        }
        #expect(access(path, F_OK) != 0, "the file goes with its listener")
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        close(file)
        defer { unlink(path) }
        #expect(throws: SystemError.self) { _ = try Listener(on: address) }
        #expect(access(path, F_OK) == 0)
    }

    @Test(arguments: [0o600, 0o660, 0o666] as [UInt32])
    func `a socket's file has the permissions that were asked for`(_ mode: UInt32) throws {
        let path = "/tmp/todosync-listener-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).sock"
        let listener = try Listener(on: .unix(path: path), fileMode: mode)
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == mode)
        #expect(listener.address.isUnix)
    }

    @Test func `a file that has taken the place of the socket's stays`() throws {
        let path = "/tmp/todosync-listener-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).sock"
        do {
            let listener = try Listener(on: .unix(path: path))
            #expect(listener.address.isUnix)
            unlink(path)
            close(open(path, O_CREAT | O_WRONLY, 0o600))
        }
        #expect(access(path, F_OK) == 0)
        unlink(path)
    }
}
