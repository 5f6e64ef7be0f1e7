import Foundation
import Testing
import Todo
import TodoClient

/// Where pictures are to be kept, if they are.
private let wantedFolder = ProcessInfo.processInfo.environment["TODO_SCREENSHOTS"]

/// Pictures of the page, for its documentation and for looking at: `TODO_SCREENSHOTS=FOLDER swift test --filter PagePictures`.
@Suite(.chromium) struct PagePictures {
    private static let longName = "olivia.wolfeschlegelstein@mail.example-company.com"

    @Test func `pictures of every view, on a desk and on a phone, light and dark`() async throws {
        let folder = wantedFolder.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { if wantedFolder == nil { try? FileManager.default.removeItem(at: folder) } }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try await withServer(.init(isDemo: true)) { server in
            try await withBrowser { browser in
                let page = try await browser.open(server.page)
                try await page.wait(until: "document.querySelector('#nickname')?.checkVisibility()")
                try await shoot(page, "login", folder)
                try await register(browser.open(server.page), folder)
                try await page.logIn(as: "Ada")
                try await page.addProject("Reading list")
                try await page.wait(until: "document.querySelectorAll('[data-project-id]').length === 4")
                try await shoot(page, "projects", folder)
                try await page.openProject("Reading list")
                let books = ["The Left Hand of Darkness", "A Pattern Language", "Gödel, Escher, Bach", "Moby-Dick"]
                for book in books { try await page.addTask(book) }
                try await page.waitForTasks(open: books, completed: [])
                try await page.tick("Moby-Dick")
                try await page.waitForTasks(open: books.dropLast(), completed: ["Moby-Dick"])
                try await shoot(page, "board", folder)
                try await page.click("#delete-project")
                try await page.wait(until: "document.querySelector('#confirm-dialog').open")
                try await shoot(page, "confirm", folder)
                try await page.press(.escape)
                try await page.click("#account-open")
                try await page.wait(until: "document.querySelectorAll('[data-session]').length === 1")
                try await shoot(page, "account", folder)
                try await page.press(.escape)
                let other = try await connect(to: server, as: Self.longName)
                try await sharing(page, browser.open(server.page), folder)
                try await longTexts(page, other, folder)
                try await sideBySide(page, browser.open(server.page), folder)
            }
        }
    }

    /// The form of a new account, and what it says of a password.
    private func register(_ page: Page, _ folder: URL) async throws {
        try await page.wait(until: "document.querySelector('#nickname')?.checkVisibility()")
        try await page.click("[data-provider=password]")
        try await page.click("#register")
        try await page.type("Ada", into: "#username")
        try await page.type("пар", into: "#password")
        try await page.press(.enter)
        try await page.wait(until: "document.querySelector('#login-error').checkVisibility()")
        try await shoot(page, "register", folder)
    }

    /// The sharing panel with members and a link, and a board in which somebody else is editing a row.
    private func sharing(_ ada: Page, _ noor: Page, _ folder: URL) async throws {
        try await noor.logIn(as: "Noor")
        try await ada.click("#share-project")
        for (count, name) in ["Noor", Self.longName].enumerated() {
            try await ada.type(name, into: "#share-name")
            try await ada.press(.enter)
            try await ada.wait(for: .number(Double(count + 2)), "document.querySelectorAll('#members li').length")
        }
        try await ada.click("#make-link")
        try await ada.wait(for: 1, "document.querySelectorAll('#invites li').length")
        try await shoot(ada, "share", folder)
        for count in 2...5 {
            try await ada.click("#make-link")
            // The button moves down with each link.
            try await ada.wait(for: .number(Double(count)), "document.querySelectorAll('#invites li').length")
        }
        try await ada.click("#copy-link")
        try await ada.wait(until: "document.querySelector('#toasts').textContent.includes('copied')")
        try await shoot(ada, "share-tall", folder)
        try await ada.click("#share-done")
        try await ada.wait(for: 0, "document.querySelectorAll('.toast').length")
        try await noor.openProject("Reading list")
        try await noor.click(noor.task("A Pattern Language", "[data-action=edit]"))
        try await ada.wait(until: "document.querySelector('#open-tasks').textContent.includes('Noor is editing')")
        try await shoot(ada, "present", folder)
        try await noor.type(
            "A Pattern Language, by Christopher Alexander and five others: read the part on gardens, courtyards and paths first",
            into: "[name=body]")
        try await shoot(noor, "editor", folder)
        try await ada.click("#share-project")
        try await ada.choose("private", in: "#share-access")
        let choice = try await ada.member("Noor", "[data-action=role]")
        try await ada.choose("viewer", in: choice)
        try await noor.wait(until: "document.querySelector('.editor .problem').checkVisibility()")
        try await shoot(noor, "editor-read-only", folder)
        try await ada.choose("editor", in: choice)
        try await noor.wait(until: "!document.querySelector('.editor .problem').checkVisibility()")
        try await ada.click(ada.member("Noor", "[data-action=remove]"))
        try await ada.wait(until: "document.querySelector('#confirm-dialog').open")
        try await shoot(ada, "remove", folder)
        try await ada.press(.escape)
        try await ada.click("#share-done")
        try await noor.press(.escape)
        try await noor.click(noor.task("A Pattern Language", "> [data-action=delete]"))
        try await noor.wait(until: "document.querySelector('#toasts').textContent.includes('Deleted')")
        try await shoot(noor, "toast", folder)
        try await noor.evaluate("location.hash = '#/'")
        try await ada.wait(until: "!document.querySelector('#present').checkVisibility()")
    }

    /// A board whose texts are longer than one expects, or go from right to left.
    private func longTexts(_ ada: Page, _ other: TodoClient, _ folder: URL) async throws {
        let title =
            "Everything that has to be bought, borrowed, mended, carried up to the attic and/or thrown away before the wedding in June"
        let tasks = [String(repeating: "Pneumonoultramicroscopicsilicovolcanoconiosis", count: 3), "شراء الخبز والحليب (٢)!", "👩🏽‍🚀 Rocket"]
        try await ada.evaluate("location.hash = '#/'")
        try await ada.addProject(title)
        try await shoot(ada, "long-projects", folder)
        try await ada.openProject(title)
        for task in tasks { try await ada.addTask(task) }
        try await ada.waitForTasks(open: tasks, completed: [])
        let path = try #require(try await ada.evaluate("location.hash").string)
        let project = path.split(separator: "/").last.map(String.init) ?? ""
        let item = try #require(try await ada.evaluate("document.querySelector('[data-item-id]').dataset.itemId").string)
        try await other.write { $0.create(.presence, ["projectId": .string(project), "state": .json(#"{"item":"\#(item)"}"#)]) }
        try await ada.wait(until: "document.querySelector('#open-tasks').textContent.includes('is editing')")
        try await shoot(ada, "long-board", folder)
    }

    /// The same board in two windows, after a tick in one of them.
    private func sideBySide(_ ada: Page, _ ben: Page, _ folder: URL) async throws {
        try await ben.logIn(as: "Ben")
        for page in [ada, ben] {
            try await page.show(as: .half)
            try await page.evaluate("location.hash = '#/'")
            try await page.openProject("Weekend at the lake")
        }
        try await ada.tick("Check the weather")
        let open = ["Ask Noor whether the boat is free", "Pack the lanterns"]
        try await waitForTasks([ada, ben], open: open, completed: ["Check the weather", "Book the cabin"])
        // The row that changed flashes for a moment.
        for page in [ada, ben] { try await page.wait(until: "document.getAnimations().length === 0") }
        try await ada.picture().write(to: folder.appending(path: "left.png"))
        try await ben.picture().write(to: folder.appending(path: "right.png"))
    }

    private func shoot(_ page: Page, _ view: String, _ folder: URL) async throws {
        for (screen, screenName) in [(Page.Screen.desk, "desk"), (.phone, "phone")] {
            for isDark in [false, true] {
                try await page.show(as: screen, isDark: isDark)
                let name = "\(view)-\(screenName)-\(isDark ? "dark" : "light").png"
                try await page.picture().write(to: folder.appending(path: name))
            }
        }
        try await page.show(as: .desk)
    }
}
