import Testing

/// A server and two windows for the body, in which ann and bob are logged in. Afterwards neither console may have complained.
func withAnnAndBob(
    _ options: ServerProcess.Options, allowingOutage: Bool = false, isolation: isolated (any Actor)? = #isolation,
    _ body: (ServerProcess, _ ann: Page, _ bob: Page) async throws -> Void
) async throws {
    try await withServer(options) { server in
        try await withBrowser { browser in
            let ann = try await browser.open(server.page)
            let bob = try await browser.open(server.page)
            try await ann.logIn(as: "ann")
            try await bob.logIn(as: "bob")
            try await body(server, ann, bob)
            #expect(await ann.complaints(allowingOutage: allowingOutage) == [])
            #expect(await bob.complaints(allowingOutage: allowingOutage) == [])
        }
    }
}

extension Page {
    /// Adds the project "Garden", opens it and makes a link in its sharing dialog, which stays open; returns the link.
    func makeInvitationLink() async throws -> String {
        try await addProject("Garden")
        try await openProject("Garden")
        try await click("#share-project")
        try await click("#make-link")
        try await wait(until: "document.querySelector('#link').value.includes('#invite=')")
        return try #require(try await evaluate("document.querySelector('#link').value").string)
    }
}
