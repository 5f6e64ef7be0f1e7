import Bytes
import Glibc
import Synchronization
import Testing
import WebSocket

@testable import TodoServer

/// A temporary public folder.
private final class PublicFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/todosync-public-XXXXXX".utf8CString)
        path = try #require(mkdtemp(&template).map { String(cString: $0) })
        mkdir(path + "/public", 0o755)
        mkdir(path + "/public/sub", 0o755)
        write("public/index.html", "<!doctype html><title>To do</title>" + String(repeating: " ", count: 2_000))
        write("public/app.js", "1")
        write("public/sub/style.css", String(repeating: "a { color: red }\n", count: 100))
        write("public/.hidden", "secret")
        write("secret.txt", "secret")
        symlink("../secret.txt", path + "/public/link.txt")
        symlink("app.js", path + "/public/inside.js")
        symlink("..", path + "/public/up")
    }

    func write(_ name: String, _ text: String) {
        let file = open(path + "/" + name, O_CREAT | O_WRONLY | O_TRUNC, 0o644)
        var text = text
        text.withUTF8 { _ = Glibc.write(file, $0.baseAddress, $0.count) }
        close(file)
    }

    deinit {
        for name in [
            "public/index.html", "public/app.js", "public/sub/style.css", "public/.hidden", "public/link.txt", "public/inside.js",
            "public/up",
        ] {
            unlink(path + "/" + name)
        }
        unlink(path + "/secret.txt")
        for name in ["public/sub", "public", ""] { rmdir(path + "/" + name) }
    }
}

@Suite struct EdgeHTTPTests {
    private let folder: PublicFolder
    private let server: EdgeServer

    init() throws {
        folder = try PublicFolder()
        var limits = EdgeLimits()
        limits.headMilliseconds = 200
        limits.keepAliveMilliseconds = 30_000
        server = try EdgeServer(limits: limits, files: StaticFiles(folder: folder.path + "/public"))
    }

    private func get(_ path: String, method: String = "GET", _ headers: String = "") throws -> RawClient.Response {
        let client = try RawClient(port: server.port)
        client.send("\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(headers)\r\n")
        return try #require(client.response(toHead: method == "HEAD"))
    }

    @Test func `files come with type, tag and the headers that protect the page`() throws {
        let page = try get("/")
        #expect(page.status == 200)
        #expect(page["content-type"] == "text/html; charset=utf-8")
        #expect(page["cache-control"] == "no-cache")
        #expect(page["content-security-policy"]?.hasPrefix("default-src 'none'; script-src 'self'") == true)
        #expect(page["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
        #expect(page["x-content-type-options"] == "nosniff")
        #expect(page["referrer-policy"] == "no-referrer")
        #expect(page["vary"] == "Accept-Encoding")
        #expect(page.text.hasPrefix("<!doctype html>"))
        #expect(try get("/index.html").body == page.body)
        #expect(try get("/app.js")["content-type"] == "text/javascript; charset=utf-8")
        #expect(try get("/sub/style.css")["content-type"] == "text/css; charset=utf-8")
        #expect(try get("/inside.js").text == "1")
        #expect(try get("/sub/%73tyle.css?version=1").status == 200)
    }

    @Test func `a copy that is still right is not sent again`() throws {
        let tag = try #require(try get("/")["etag"])
        #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
        let again = try get("/", "If-None-Match: \"other\", \(tag)\r\n")
        #expect(again.status == 304)
        #expect(again["etag"] == tag)
        #expect(again["content-length"] == nil)
        #expect(try get("/", "If-None-Match: \"other\"\r\n").status == 200)
    }

    @Test func `compressed files have a tag of their own and are sent to those who take them`() throws {
        let plain = try get("/sub/style.css")
        let packed = try get("/sub/style.css", "Accept-Encoding: br, gzip;q=0.5\r\n")
        #expect(packed["content-encoding"] == "gzip")
        #expect(packed.body.prefix(2) == [0x1F, 0x8B])
        #expect(packed.body.count < plain.body.count)
        #expect(packed["etag"] != plain["etag"])
        #expect(try get("/sub/style.css", "Accept-Encoding: gzip;q=0\r\n")["content-encoding"] == nil)
        #expect(try get("/app.js", "Accept-Encoding: gzip\r\n")["content-encoding"] == nil)
        let tag = try #require(packed["etag"])
        #expect(try get("/sub/style.css", "Accept-Encoding: gzip\r\nIf-None-Match: \(tag)\r\n").status == 304)
    }

    @Test(arguments: [
        "/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/sub/../../secret.txt", "/link.txt", "/up/secret.txt", "/.hidden",
        "//etc/passwd",
        "/%2fetc/passwd", "/sub/..%5c..%5csecret.txt", "/app.js%00.html", "/sub", "/nothing",
    ])
    func `no address leads out of the folder`(_ path: String) throws {
        let answer = try get(path)
        #expect(answer.status == 404)
        #expect(!answer.text.contains("secret"))
    }

    @Test func `methods and addresses that are not served get a proper answer`() throws {
        #expect(try get("/%zz").status == 400)
        let post = try get("/", method: "POST")
        #expect(post.status == 405)
        #expect(post["allow"] == "GET, HEAD")
        #expect(!post.text.isEmpty)
        #expect(try get("/", method: "DELETE").status == 405)
        #expect(try get("*", method: "OPTIONS").status == 404)
        let head = try get("/", method: "HEAD")
        #expect(head.status == 200)
        #expect(head["content-length"] == String(try get("/").body.count))
    }

    @Test func `health, readiness and figures`() throws {
        #expect(try get("/healthz").status == 200)
        #expect(try get("/readyz").text == "ready\n")
        let figures = try get("/metrics")
        #expect(figures["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
        #expect(figures.text.contains("# TYPE todosync_connections gauge\ntodosync_connections "))
        #expect(figures.text.contains("todosync_commits_total 7\n"))
        server.status.isStoreReachable.store(false, ordering: .relaxed)
        #expect(try get("/readyz").status == 503)
        #expect(try get("/healthz").status == 200)
    }

    @Test func `requests in one piece are answered in order on one connection`() throws {
        let client = try RawClient(port: server.port)
        client.send(
            "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nHEAD / HTTP/1.1\r\nHost: x\r\n\r\n"
                + "POST /app.js HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhelloGET /app.js HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.response()?.text == "alive\n")
        #expect(client.response(toHead: true)?.status == 200)
        #expect(client.response()?.status == 405)
        #expect(client.response()?.text == "1")
        client.send("GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let last = try #require(client.response())
        #expect(last.status == 404)
        #expect(last["connection"] == "close")
        #expect(client.some().isEmpty)
    }

    @Test func `requests that fill a read are all answered, some in each turn, also where the client ends its side behind them`() throws {
        let client = try RawClient(port: server.port)
        let count = 2_000
        let body = "POST /app.js HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
        client.send(String(repeating: "GET /app.js HTTP/1.1\r\nHost: x\r\n\r\n" + body, count: count / 2))
        client.endWriting()
        for index in 0..<count { #expect(client.response()?.status == (index % 2 == 0 ? 200 : 405)) }
        #expect(client.some().isEmpty)
    }

    @Test func `a session behind many requests in one piece begins, and its frames are taken`() throws {
        let client = try RawClient(port: server.port)
        // "echo hi", masked with zeros.
        let frame: [UInt8] = [0x81, 0x87, 0, 0, 0, 0] + Array("echo hi".utf8)
        client.send(Array((String(repeating: "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", count: 100) + FrameClient.request()).utf8) + frame)
        for _ in 0..<100 { #expect(client.response()?.text == "alive\n") }
        #expect(client.response()?.status == 101)
        #expect(client.some() == [0x81, 2] + Array("hi".utf8))
    }

    @Test func `a body that nobody takes ends the connection with a proper answer`() throws {
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n")
        let large = try #require(client.response())
        #expect(large.status == 413)
        #expect(large["connection"] == "close")
        #expect(client.some().isEmpty)
        let chunked = try RawClient(port: server.port)
        chunked.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        #expect(chunked.response()?.status == 405)
        #expect(chunked.some().isEmpty)
        let smuggled = try RawClient(port: server.port)
        smuggled.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        #expect(smuggled.response()?.status == 400)
        #expect(smuggled.some().isEmpty)
    }

    @Test func `a head that does not come to its end is cut off with 408, a silent connection just ends`() throws {
        let slow = try RawClient(port: server.port)
        slow.send("GET / HTTP/1.1\r\nHost:")
        let answer = try #require(slow.response())
        #expect(answer.status == 408)
        #expect(slow.some().isEmpty)
        let silent = try RawClient(port: server.port)
        #expect(silent.some().isEmpty)
    }

    @Test func `a client that ends its side after the request still gets the answer`() throws {
        let client = try RawClient(port: server.port)
        client.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        client.endWriting()
        #expect(client.rest().hasSuffix("alive\n"))
    }
}
