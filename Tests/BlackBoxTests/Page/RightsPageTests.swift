import Todo
import Testing
import TodoClient
import TodoClient

/// What the page does when a right goes: given up on purpose, or taken away in the middle of something.
@Suite(.chromium) struct RightsPageTests {
    private static let role = "document.querySelector('[data-view=board]').dataset.role"
    private static let toasts = "document.querySelector('#toasts').textContent"
    private static let question = "document.querySelector('#confirm-dialog').open && document.querySelector('#confirm-title').textContent"

    /// A project of Ann's in which Bob has a role; she is a client, and his page shows it.
    private func withBobsPage(
        as role: String, _ body: (_ ann: TodoClient, _ bob: Page, _ permission: String) async throws -> Void
    ) async throws {
        try await withServer(.init(providers: "nickname", access: "private")) { server in
            let ann = try await connect(to: server, as: "ann")
            try await ann.makeProject("garden", name: "Garden", tasks: ["Beans", "Peas"])
            let bobsId = try await connect(to: server, as: "bob").userId
            try await ann.write { $0.give(role, in: "garden", to: bobsId) }
            try await withBrowser { browser in
                let bob = try await browser.open(server.page)
                try await bob.logIn(as: "bob")
                try await bob.openProject("Garden")
                try await bob.wait(for: .string(role), Self.role)
                try await body(ann, bob, "garden:\(bobsId)")
                #expect(await bob.complaints() == [])
            }
        }
    }

    @Test func `who leaves a project is asked, and then is with the projects and told so`() async throws {
        try await withBobsPage(as: "editor") { _, bob, _ in
            // A sight of "not here" would be a fault, however short.
            try await bob.evaluate(
                """
                new MutationObserver(() => (window.wasGone ||= document.querySelector("#project-gone")?.checkVisibility()))
                  .observe(document.body, { subtree: true, attributes: true, childList: true })
                """)
            try await bob.click("#share-project")
            try await bob.click("#leave-project")
            try await bob.wait(for: "Leave “Garden”?", Self.question)
            try await bob.click("#confirm-accept")
            try await bob.wait(until: "\(Self.toasts).includes('You left “Garden”.')")
            try await bob.wait(for: "#/", "location.hash")
            try await bob.waitForProjects("#shared-projects", [])
            try await bob.wait(until: "document.querySelector('dialog[open]') === null")
            #expect(try await bob.evaluate("window.wasGone ?? false") == false)
        }
    }

    @Test func `an editor whose right goes keeps what was typed, can't send it, and gets it back with the right`() async throws {
        try await withBobsPage(as: "editor") { ann, bob, permission in
            try await bob.click(bob.task("Beans", "[data-action=edit]"))
            try await bob.type("Runner beans", into: ".editor [name=body]")
            try await ann.write { $0.update(.permission, permission, set: ["role": "viewer"]) }
            try await bob.wait(for: "viewer", Self.role)
            try await bob.wait(until: "document.querySelector('.editor .problem').textContent.includes('can no longer change')")
            for field in ["body", "notes", "dueDate"] {
                #expect(try await bob.evaluate("document.querySelector('.editor [name=\(field)]').readOnly") == true)
            }
            #expect(try await bob.evaluate("document.querySelector('.editor [name=priority]').disabled") == true)
            for action in ["save", "delete"] {
                #expect(try await bob.evaluate("document.querySelector('.editor [data-action=\(action)]').checkVisibility()") == false)
            }
            #expect(try await bob.evaluate("document.activeElement.value") == "Runner beans")
            try await bob.press(.enter)
            #expect(try await bob.evaluate("document.querySelector('.editor [name=body]').value") == "Runner beans")

            try await ann.write { $0.update(.permission, permission, set: ["role": "editor"]) }
            try await bob.wait(until: "!document.querySelector('.editor .problem').checkVisibility()")
            try await bob.press(.enter)
            try await bob.waitForTasks(open: ["Runner beans", "Peas"], completed: [])
        }
    }

    @Test func `a refusal speaks of things by their names, and what was typed stays in the editor that says why`() async throws {
        try await withBobsPage(as: "viewer") { ann, bob, _ in
            // As in a page that has not heard yet that the right is gone.
            try await bob.evaluate("\(Self.role) = 'editor'")
            try await bob.click(bob.task("Beans", "[data-action=edit]"))
            try await bob.type("Runner beans", into: ".editor [name=body]")
            try await bob.press(.enter)
            try await bob.wait(until: "document.querySelector('.editor .problem')?.textContent.includes('in the project “Garden”')")
            #expect(try await bob.evaluate("document.querySelector('.editor [name=body]').value") == "Runner beans")
            #expect(try await bob.evaluate("document.querySelectorAll('.toast').length") == 0)
            try await bob.press(.escape)
            try await bob.tick("Peas")
            try await bob.wait(until: "\(Self.toasts).includes('in the project “Garden”')")
            #expect(try await bob.evaluate("document.body.textContent.includes(\"'garden'\")") == false)

            // What is not there any more has no name.
            try await bob.click("#toasts [data-action=dismiss]")
            try await ann.write { $0.delete(.project, "garden") }
            try await bob.wait(until: "document.querySelector('#project-gone').checkVisibility()")
            try await bob.evaluate("document.querySelector('#new-task').value = 'Beets'")
            try await bob.evaluate("document.querySelector('#new-task-form').requestSubmit()")
            try await bob.wait(until: "\(Self.toasts).includes('not here any more')")
            #expect(try await bob.evaluate("\(Self.toasts).includes('garden')") == false)
        }
    }

    @Test func `an owner is asked before it is one no longer, and before somebody is removed`() async throws {
        try await withBobsPage(as: "owner") { ann, bob, permission in
            let row = "#members [data-user-id='\(permission.split(separator: ":")[1])'] [data-action=role]"
            let value = "document.querySelector(\(Page.quote(row))).value"
            try await bob.click("#share-project")
            try await bob.wait(for: "owner", value)
            for (answer, role) in [("cancel", "owner"), ("accept", "editor")] {
                try await bob.choose("editor", in: row)
                try await bob.wait(for: "Stop being an owner of “Garden”?", Self.question)
                try await bob.click("#confirm-\(answer)")
                try await bob.wait(until: "!document.querySelector('#confirm-dialog').open")
                try await bob.wait(for: .string(role), Self.role)
                try await bob.wait(for: .string(role), value)
            }

            try await ann.write { $0.update(.permission, permission, set: ["role": "owner"]) }
            try await bob.wait(for: "owner", Self.role)
            try await bob.type("BOB", into: "#share-name")
            try await bob.press(.enter)
            try await bob.wait(for: "Stop being an owner of “Garden”?", Self.question)
            try await bob.press(.escape)
            try await bob.wait(until: "!document.querySelector('#confirm-dialog').open")
            let other = "#members [data-user-id='\(ann.userId)'] [data-action=remove]"
            for answer in ["cancel", "accept"] {
                try await bob.click(other)
                try await bob.wait(for: "Remove “ann” from “Garden”?", Self.question)
                #expect(try await bob.evaluate("document.querySelectorAll('#members li').length") == 2)
                try await bob.click("#confirm-\(answer)")
                try await bob.wait(until: "!document.querySelector('#confirm-dialog').open")
            }
            try await bob.wait(for: 1, "document.querySelectorAll('#members li').length")
        }
    }
}
