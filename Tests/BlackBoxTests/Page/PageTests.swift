import Foundation
import Testing
import Todo
import TodoClient

/// The real page in a headless Chromium, in two windows of two people.
@Suite(.chromium) struct PageTests {
    @Test func `two people in two windows see each other's changes in the right sections and order`() async throws {
        try await withAnnAndBob(.init(providers: "nickname", access: "everyone-write")) { _, ann, bob in
            try await openTogether(ann, bob)
            try await work(ann, bob)
            try await rename(ann, bob)
            try await deleteProject(ann, bob)
        }
    }

    private func openTogether(_ ann: Page, _ bob: Page) async throws {
        try await ann.addProject("Garden")
        try await ann.waitForProjects("#my-projects", [["Garden", "No tasks"]])
        try await bob.waitForProjects("#shared-projects", [["Garden", "No tasks"]])
        try await bob.waitForProjects("#my-projects", [])
        try await ann.addProject("House")
        try await ann.waitForProjects("#my-projects", [["House", "No tasks"], ["Garden", "No tasks"]])
        try await bob.waitForProjects("#shared-projects", [["House", "No tasks"], ["Garden", "No tasks"]])
        try await ann.openProject("Garden")
        try await bob.openProject("Garden")
        try await waitForTasks([ann, bob], open: [], completed: [])
    }

    private func work(_ ann: Page, _ bob: Page) async throws {
        let both = [ann, bob]
        for task in ["Beans", "Peas", "Water"] { try await ann.addTask(task) }
        try await waitForTasks(both, open: ["Beans", "Peas", "Water"], completed: [])
        try await bob.addTask("<b>Weed</b> & “dig”")
        try await waitForTasks(both, open: ["Beans", "Peas", "Water", "<b>Weed</b> & “dig”"], completed: [])

        try await bob.tick("Peas")
        try await waitForTasks(both, open: ["Beans", "Water", "<b>Weed</b> & “dig”"], completed: ["Peas"])
        try await ann.tick("Beans")
        try await waitForTasks(both, open: ["Water", "<b>Weed</b> & “dig”"], completed: ["Beans", "Peas"])
        try await bob.tick("Peas")
        try await waitForTasks(both, open: ["Peas", "Water", "<b>Weed</b> & “dig”"], completed: ["Beans"])

        try await bob.move("Water", .up)
        try await waitForTasks(both, open: ["Water", "Peas", "<b>Weed</b> & “dig”"], completed: ["Beans"])
        try await ann.move("Water", .end)
        try await waitForTasks(both, open: ["Peas", "<b>Weed</b> & “dig”", "Water"], completed: ["Beans"])
        try await ann.move("Water", .home)
        try await waitForTasks(both, open: ["Water", "Peas", "<b>Weed</b> & “dig”"], completed: ["Beans"])

        try await ann.drag(ann.task("Water", "[data-action=move]"), to: ann.task("<b>Weed</b> & “dig”", "[data-action=move]"))
        try await waitForTasks(both, open: ["Peas", "<b>Weed</b> & “dig”", "Water"], completed: ["Beans"])
        try await bob.drag(bob.task("Water", "[data-action=move]"), to: bob.task("Peas", "[data-action=move]"))
        try await waitForTasks(both, open: ["Water", "Peas", "<b>Weed</b> & “dig”"], completed: ["Beans"])

        try await edit(ann, bob)
        try await bob.click(bob.task("<b>Weed</b> & “dig”", "> [data-action=delete]"))
        try await waitForTasks(both, open: ["Water daily", "Peas"], completed: ["Beans"])
        try await bob.wait(until: "document.querySelector('#toasts').textContent.includes('Deleted “<b>Weed</b>')")
    }

    /// The editor in the row: what Escape throws away, what Enter saves, and what the other window sees of it.
    private func edit(_ ann: Page, _ bob: Page) async throws {
        let order = ["Peas", "<b>Weed</b> & “dig”"]
        try await ann.click(ann.task("Water", "[data-action=edit]"))
        try await ann.type("Something else", into: ".editor [name=body]")
        try await ann.press(.escape)
        try await ann.wait(until: "document.querySelector('.editor') === null")
        try await waitForTasks([ann, bob], open: ["Water"] + order, completed: ["Beans"])

        try await ann.click(ann.task("Water", "[data-action=edit]"))
        try await ann.type("Water daily", into: ".editor [name=body]")
        try await ann.evaluate("document.querySelector('.editor [name=priority]').value = '3'")
        try await ann.evaluate("document.querySelector('.editor [name=dueDate]').value = '2031-05-17'")
        try await ann.press(.enter)
        try await waitForTasks([ann, bob], open: ["Water daily"] + order, completed: ["Beans"])
        for page in [ann, bob] {
            let row = try await page.task("Water daily")
            try await page.wait(for: "High", "document.querySelector(\(Page.quote(row + ".priority"))).textContent")
            try await page.wait(until: "document.querySelector(\(Page.quote(row + ".due"))).textContent.includes('2031')")
        }
    }

    private func rename(_ ann: Page, _ bob: Page) async throws {
        try await ann.click("#rename-project")
        try await ann.type("Kitchen garden", into: "#project-name")
        try await ann.click("#project-save")
        for page in [ann, bob] {
            try await page.wait(for: "Kitchen garden", "document.querySelector('#project-title').textContent")
            try await page.wait(for: "Kitchen garden – TodoSync", "document.title")
        }
    }

    /// The question names how many tasks go, also when that changes while it is asked.
    private func deleteProject(_ ann: Page, _ bob: Page) async throws {
        try await ann.click("#back")
        try await ann.waitForProjects("#my-projects", [["House", "No tasks"], ["Kitchen garden", "2 open of 3 tasks"]])
        let row = "#my-projects [data-project-id]:nth-child(2) "
        try await ann.click(row + "[data-action=delete]")
        try await ann.wait(until: "document.querySelector('#confirm-dialog').open")
        try await ann.wait(for: "Its 3 tasks are deleted with it, for everyone.", "document.querySelector('#confirm-text').textContent")
        try await bob.addTask("Harvest")
        try await ann.wait(for: "Its 4 tasks are deleted with it, for everyone.", "document.querySelector('#confirm-text').textContent")
        try await ann.click("#confirm-cancel")
        try await ann.wait(until: "!document.querySelector('#confirm-dialog').open")
        try await ann.waitForProjects("#my-projects", [["House", "No tasks"], ["Kitchen garden", "3 open of 4 tasks"]])

        try await ann.click(row + "[data-action=delete]")
        try await ann.click("#confirm-accept")
        try await ann.waitForProjects("#my-projects", [["House", "No tasks"]])
        try await bob.wait(until: "document.querySelector('#project-gone').checkVisibility()")
        try await bob.click("#project-gone a")
        try await bob.waitForProjects("#shared-projects", [["House", "No tasks"]])
    }

    @Test func `somebody who may only look finds nothing to change, until the right is given`() async throws {
        try await withServer(.init(providers: "nickname", access: "everyone-read")) { server in
            let owner = try await connect(to: server, as: "ann")
            try await owner.makeProject("garden", name: "Garden", tasks: ["Beans", "Peas"])
            try await withBrowser { browser in
                let bob = try await browser.open(server.page)
                try await bob.logIn(as: "bob")
                try await bob.openProject("Garden")
                try await bob.waitForTasks(open: ["Beans", "Peas"], completed: [])
                try await bob.wait(for: "viewer", "document.querySelector('[data-view=board]').dataset.role")
                try await bob.wait(until: "document.querySelector('#read-only').checkVisibility()")
                try await bob.wait(until: "!document.querySelector('#new-task-form').checkVisibility()")

                let id = try await connect(to: server, as: "bob").userId
                try await owner.write { $0.give("editor", in: "garden", to: id) }
                try await bob.wait(for: "editor", "document.querySelector('[data-view=board]').dataset.role")
                try await bob.tick("Beans")
                try await bob.waitForTasks(open: ["Peas"], completed: ["Beans"])
                #expect(await bob.complaints() == [])
                // What all these checks rely on: a complaint would be noticed.
                try await bob.evaluate("console.error('heard'), setTimeout(() => { throw new Error('uncaught') })")
                try await eventually("two complaints are noticed") { await bob.complaints().count == 2 }
            }
        }
    }

    @Test func `an account is made by password, and logging out leaves nothing behind`() async throws {
        try await withServer(.init(providers: "password")) { server in
            try await withBrowser { browser in
                let ann = try await browser.open(server.page)
                try await ann.wait(until: "document.querySelector('#username')?.checkVisibility()")
                try await ann.wait(until: "!document.querySelector('#nickname').checkVisibility()")
                try await ann.type("ann", into: "#username")
                try await ann.type("correct horse", into: "#password")
                try await ann.press(.enter)
                try await ann.wait(until: "document.querySelector('#login-error').checkVisibility()")
                try await ann.wait(until: "!document.querySelector('#login').disabled")
                try await ann.click("#register")
                try await ann.type("ann", into: "#username")
                try await ann.type("correct horse", into: "#password")
                try await ann.click("#login")
                try await ann.waitUntilOnline(as: "ann")
                try await ann.addProject("Diary")
                try await ann.waitForProjects("#my-projects", [["Diary", "No tasks"]])

                try await ann.reload()
                try await ann.waitUntilOnline(as: "ann")
                try await ann.waitForProjects("#my-projects", [["Diary", "No tasks"]])

                try await ann.click("#logout")
                try await ann.wait(until: "document.querySelector('#username')?.checkVisibility()")
                try await ann.wait(for: 0, "localStorage.length + sessionStorage.length")
                try await ann.wait(until: "!document.body.textContent.includes('Diary')")
                try await ann.reload()
                try await ann.type("ann", into: "#username")
                try await ann.type("correct horse", into: "#password")
                try await ann.press(.enter)
                try await ann.waitUntilOnline(as: "ann")
                #expect(await ann.complaints() == [])
            }
        }
    }

    @Test func `the page comes back by itself when the server does, and sends what was typed meanwhile`() async throws {
        try await withAnnAndBob(.init(providers: "nickname", access: "everyone-write"), allowingOutage: true) { server, ann, bob in
            try await ann.addProject("Garden")
            try await ann.openProject("Garden")
            try await bob.openProject("Garden")
            for task in ["Beans", "Peas"] { try await ann.addTask(task) }
            try await waitForTasks([ann, bob], open: ["Beans", "Peas"], completed: [])

            server.kill()
            for page in [ann, bob] {
                try await page.wait(for: "false", "document.documentElement.dataset.online")
                try await page.wait(until: "document.querySelector('#connection').checkVisibility()")
            }
            try await ann.addTask("Water")
            try await ann.wait(for: ["Water"], "[...document.querySelectorAll('.waiting li')].map((row) => row.textContent)")
            try await bob.tick("Beans")
            try await server.start()

            try await ann.waitUntilOnline(as: "ann")
            try await bob.waitUntilOnline(as: "bob")
            try await waitForTasks([ann, bob], open: ["Peas", "Water"], completed: ["Beans"])
            try await ann.wait(for: 0, "document.querySelectorAll('.waiting li').length")
            try await ann.wait(until: "!document.querySelector('#connection').checkVisibility()")

            // Once more, by a server that stops in order.
            #expect(try await server.stop() == .exit(0))
            try await bob.wait(for: "false", "document.documentElement.dataset.online")
            try await bob.addTask("Weed")
            try await bob.wait(for: 1, "document.querySelectorAll('.waiting li').length")
            try await server.start()
            try await waitForTasks([ann, bob], open: ["Peas", "Water", "Weed"], completed: ["Beans"])
            try await bob.reload()
            try await waitForTasks([bob], open: ["Peas", "Water", "Weed"], completed: ["Beans"])
        }
    }
}
