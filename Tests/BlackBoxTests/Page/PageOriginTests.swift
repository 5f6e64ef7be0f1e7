import Foundation
import TestSupport
import Testing

/// Where the page comes from and where it connects to: encrypted or not, behind a proxy, and nowhere else.
/// The Chromium is told to trust any certificate.
@Suite(.chromium) struct PageOriginTests {
    @Test func `the page works over https, and its connection is encrypted too`() async throws {
        let certificate = try TestCertificate()
        try await withAnnAndBob(.init(providers: "nickname", access: "everyone-write", certificate: certificate)) { server, ann, bob in
            #expect(server.page.hasPrefix("https://"))
            try await ann.addProject("Garden")
            try await bob.waitForProjects("#shared-projects", [["Garden", "No tasks"]])
            try await ann.openProject("Garden")
            try await bob.openProject("Garden")
            for task in ["Beans", "Peas"] { try await ann.addTask(task) }
            try await bob.tick("Beans")
            try await waitForTasks([ann, bob], open: ["Peas"], completed: ["Beans"])

            #expect(try await ann.evaluate("location.protocol") == "https:")
            #expect(try await ann.evaluate("isSecureContext") == true)
        }
    }

    @Test func `the page works behind a proxy under a sub-path, encrypted or not`() async throws {
        try await withServer(.init(providers: "nickname", flags: ["--trusted-proxies", "127.0.0.1"])) { server in
            try await withReverseProxy(before: server) { proxy in
                try await withBrowser { browser in
                    for (number, url) in proxy.pages.enumerated() {
                        let page = try await browser.open(url)
                        try await page.logIn(as: "guest \(number)")
                        try await page.addProject("Garden")
                        try await page.waitForProjects("#my-projects", [["Garden", "No tasks"]])
                        try await #expect(connects(page, to: url.replacing("http", with: "ws") + "sync") == true)
                        #expect(await page.complaints() == [])
                    }
                }
            }
        }
    }

    /// What a script could do that got into the page in spite of everything.
    @Test func `the page connects to its own server and to no other`() async throws {
        try await withServer(.init(providers: "nickname")) { server in
            try await withServer(.init(providers: "nickname", flags: ["--origins", String(server.page.dropLast())])) { other in
                try await withBrowser { browser in
                    let page = try await browser.open(server.page)
                    try await page.logIn(as: "ann")
                    #expect(try await connects(page, to: server.url) == true)
                    #expect(try await connects(page, to: other.url) == false)
                    #expect(await page.complaints().contains { $0.contains("Content Security Policy") })
                }
            }
        }
    }

    private func connects(_ page: Page, to url: String) async throws -> Bool? {
        try await page.evaluate(
            """
            new Promise((resolve) => {
              const socket = new WebSocket(\(Page.quote(url)), "todosync.v1");
              socket.onopen = () => { socket.close(); resolve(true); };
              socket.onerror = () => resolve(false);
            }).catch(() => false)
            """
        ).bool
    }
}
