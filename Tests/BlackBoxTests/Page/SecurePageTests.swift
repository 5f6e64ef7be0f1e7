import Foundation
import TestSupport
import Testing

/// The real page over TLS, in a headless Chromium that is told to trust any certificate.
@Suite(.chromium) struct SecurePageTests {
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
}
