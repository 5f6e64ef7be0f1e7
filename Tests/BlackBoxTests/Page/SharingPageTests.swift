import Foundation
import Testing
import Todo
import TodoClient

/// Sharing in the real page: by name, by a link, and what everybody sees of who is there.
@Suite(.chromium) struct SharingPageTests {
    /// The names in the sharing panel, in any order.
    private static let members = "[...document.querySelectorAll('#members .name')].map((name) => name.textContent).sort()"
    /// Who else is in the project.
    private static let present = "[...document.querySelectorAll('#present li')].map((row) => row.lastElementChild.textContent).sort()"

    private func showsError(_ text: String) -> String {
        "document.querySelector('#share-error').textContent.includes(\(Page.quote(text)))"
    }

    @Test func `a project is shared by name, the role is changed and taken back, and both pages follow`() async throws {
        try await withAnnAndBob(.init(providers: "nickname", access: "private")) { _, ann, bob in
            try await ann.addProject("Garden")
            try await ann.openProject("Garden")
            try await ann.addTask("Beans")
            try await ann.click("#share-project")
            try await ann.wait(for: ["ann"], Self.members)

            try await ann.type("nobody", into: "#share-name")
            try await ann.press(.enter)
            try await ann.wait(until: showsError("no user of that name"))
            try await ann.type(" BOB", into: "#share-name")
            try await ann.choose("viewer", in: "#share-role")
            try await ann.click("#share-add")
            try await ann.wait(for: ["ann", "bob"], Self.members)
            try await bob.waitForProjects("#shared-projects", [["Garden", "1 open of 1 task"]])
            try await bob.openProject("Garden")
            try await bob.wait(until: "document.querySelector('#read-only').checkVisibility()")

            try await ann.choose("editor", in: "#members li:last-child [data-action=role]")
            try await bob.wait(for: "editor", "document.querySelector('[data-view=board]').dataset.role")
            try await bob.click("#share-project")
            try await bob.wait(for: ["ann", "bob"], Self.members)
            try await bob.wait(until: "!document.querySelector('#share-form').checkVisibility()")
            try await bob.click("#share-done")

            try await ann.click("#members li:last-child [data-action=remove]")
            try await ann.click("#confirm-accept")
            try await bob.wait(until: "document.querySelector('#project-gone').checkVisibility()")
            try await ann.wait(for: ["ann"], Self.members)
        }
    }

    @Test func `who opens a link is a member after the log-in, may leave, and a link that was revoked is refused`() async throws {
        try await withServer(.init(providers: "nickname", access: "private")) { server in
            try await withBrowser { browser in
                let ann = try await browser.open(server.page)
                try await ann.logIn(as: "ann")
                let link = try await ann.makeInvitationLink()
                try await ann.wait(for: 1, "document.querySelectorAll('#invites li').length")
                try await ann.click("#copy-link")
                try await ann.wait(until: "document.querySelector('#toasts').textContent.includes('copied')")
                try await ann.click("#toasts [data-action=dismiss]")
                try await ann.wait(for: 0, "document.querySelectorAll('#toasts .toast').length")
                try await ann.wait(until: "document.querySelector('#share-dialog').open")
                try await ann.click("#copy-link")
                try await ann.click("#share-done")
                try await ann.wait(until: "document.querySelector('body > #toasts').textContent.includes('copied')")
                try await ann.wait(for: 0, "document.querySelectorAll('#toasts .toast').length")
                try await ann.click("#share-project")
                try await ann.wait(for: 1, "document.querySelectorAll('#invites li').length")

                let bob = try await browser.open(link)
                try await bob.wait(until: "document.querySelector('#login-notice')?.textContent.includes('invitation')")
                try await bob.logIn(as: "bob")
                try await bob.wait(for: "Garden", "document.querySelector('#project-title')?.textContent ?? null")
                try await bob.wait(for: "editor", "document.querySelector('[data-view=board]').dataset.role")
                try await bob.wait(until: "!location.href.includes('invite')")
                try await ann.wait(for: ["ann", "bob"], Self.members)

                try await bob.click("#share-project")
                try await bob.click("#leave-project")
                try await bob.click("#confirm-accept")
                try await bob.wait(for: "#/", "location.hash")
                try await bob.wait(until: "!document.querySelector('#share-dialog').open")
                try await ann.click("#invites [data-action=revoke]")
                try await ann.wait(for: 0, "document.querySelectorAll('#invites li').length")
                let hash = link.split(separator: "#").last.map(String.init) ?? ""
                try await bob.evaluate("location.hash = \(Page.quote(hash))")
                try await bob.wait(until: "document.querySelector('#toasts').textContent.includes('does not hold')")
                try await bob.wait(for: "#/", "location.hash")
                #expect(await ann.complaints() == [])
                #expect(await bob.complaints() == [])
            }
        }
    }

    @Test func `everybody sees who else is there and what row they edit, until they go`() async throws {
        try await withAnnAndBob(.init(providers: "nickname", access: "everyone-write"), allowingOutage: true) { server, ann, bob in
            try await ann.addProject("Garden")
            try await ann.openProject("Garden")
            try await ann.addTask("Beans")
            try await ann.wait(until: "!document.querySelector('#present').checkVisibility()")
            try await bob.openProject("Garden")
            // Bob holds no permission: his name is found by his presence.
            try await ann.wait(for: ["bob"], Self.present)
            try await bob.wait(for: ["ann"], Self.present)

            let person = "document.querySelector('[data-item-id] .person').textContent"
            try await bob.click(bob.task("Beans", "[data-action=edit]"))
            try await ann.wait(for: "bob is editing", person)
            try await bob.press(.escape)
            try await ann.wait(for: "", person)
            try await bob.click(bob.task("Beans", "[data-action=edit]"))
            try await ann.wait(for: "bob is editing", person)

            server.kill()
            try await ann.wait(for: "false", "document.documentElement.dataset.online")
            try await server.start()
            try await ann.waitUntilOnline(as: "ann")
            try await ann.wait(for: ["bob"], Self.present)
            try await ann.wait(for: "bob is editing", person)

            try await bob.click("#back")
            try await ann.wait(for: [], Self.present)
            try await ann.wait(for: "", person)
        }
    }
}
