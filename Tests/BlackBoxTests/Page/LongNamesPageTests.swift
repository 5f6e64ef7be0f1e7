import Testing
import Todo
import TodoClient

/// Names and texts as people have them and forms don't expect: long, without spaces, from right to left, of many code points a letter.
@Suite(.chromium) struct LongNamesPageTests {
    private static let people = [
        "Wolfeschlegelsteinhausenbergerdorff the Elder of Philadelphia", "olivia.wolfeschlegelstein+todo@mail.example-company.com",
        "نور الهدى عبد الرحمن السيد", "👩🏽 Zoë", "Bo",
    ]
    private static let title = "Garden-of-the-house-" + String(repeating: "behind-the-house-", count: 12)
    private static let task = String(repeating: "Pneumonoultramicroscopicsilicovolcanoconiosis", count: 6)

    /// Whatever sticks out of the window or of the dialog, by its words.
    private static let overflowing = """
        (() => {
          const frame = document.querySelector("dialog[open]")?.getBoundingClientRect() ?? { left: 0, right: document.documentElement.clientWidth };
          return [...document.querySelectorAll("dialog[open] *, #main *, #header *")]
            .filter((element) => element.checkVisibility() && !element.closest(".unseen, .word"))
            .filter((element) => !document.querySelector("dialog[open]") || element.closest("dialog[open]"))
            .filter((element) => { const { left, right, width } = element.getBoundingClientRect(); return width > 0 && (left < frame.left - 1 || right > frame.right + 1); })
            .filter((element) => !element.classList.contains("meta"))
            .map((element) => `${element.className || element.id || element.tagName}: ${element.textContent.slice(0, 40)}`);
        })()
        """

    @Test func `long names and names in any writing leave every view of a phone whole`() async throws {
        try await withServer(.init(providers: "nickname", access: "private")) { server in
            let owner = try await connect(to: server, as: Self.people[0])
            try await owner.makeProject("garden", name: Self.title)
            try await owner.write {
                $0.addTask("short", to: "garden")
                $0.create(.item, ["itemId": "long", "projectId": "garden", "body": .string(Self.task), "notes": .string(Self.task)])
                $0.create(.item, ["itemId": "rtl", "projectId": "garden", "body": "شراء الخبز والحليب (٢)!"])
            }
            var others: [TodoClient] = []
            for name in Self.people.dropFirst() {
                let other = try await connect(to: server, as: name)
                try await owner.write { $0.give("editor", in: "garden", to: other.userId) }
                others.append(other)
            }
            try await withBrowser { browser in
                let page = try await browser.open(server.page, .phone)
                try await page.logIn(as: Self.people[0])
                try await page.waitForProjects("#my-projects", [[Self.title, "3 open of 3 tasks"]])
                #expect(try await page.evaluate(Self.overflowing) == [])
                try await page.openProject(Self.title)
                for other in others { try await present(other, editing: "short") }
                try await page.wait(
                    for: 4, "[...document.querySelectorAll('#present li')].filter((row) => row.textContent.length > 1).length")
                try await page.wait(until: "document.querySelector('[data-item-id] .person').textContent.includes('3 more are editing')")
                try await page.wait(
                    until: "[...document.querySelectorAll('#present .initial')].some(({ textContent }) => textContent === '👩🏽')")
                #expect(try await page.evaluate(Self.overflowing) == [])
                #expect(try await lines(page, "#present li") <= 2)
                try await self.page(page, reads: "rtl")

                try await page.click("#share-project")
                try await page.wait(
                    for: 5, "[...document.querySelectorAll('#members .name')].filter((name) => name.textContent !== '…').length")
                #expect(try await page.evaluate(Self.overflowing) == [])
                #expect(try await lines(page, "#members li") <= 4)
                #expect(
                    try await page.evaluate("[...document.querySelectorAll('#members .name')].map(({ title }) => title).sort()")
                        == .array(Self.people.sorted().map { .string($0) }))
                try await page.click("#share-done")
                try await page.click("#account-open")
                try await page.wait(until: "document.querySelector('[data-session]')")
                #expect(try await page.evaluate(Self.overflowing) == [])
                #expect(await page.complaints() == [])
            }
        }
    }

    /// The height of the tallest of these, in lines of text.
    private func lines(_ page: Page, _ selector: String) async throws -> Double {
        let height = try await page.evaluate(
            "Math.max(...[...document.querySelectorAll(\(Page.quote(selector)))].map((row) => row.getBoundingClientRect().height))")
        return (height.number ?? .infinity) / 20
    }

    /// A text from right to left stands at the right, and what ends it at its left end.
    private func page(_ page: Page, reads id: String) async throws {
        #expect(try await page.evaluate("getComputedStyle(document.querySelector('[data-item-id=\(id)] .text')).direction") == "rtl")
        #expect(try await page.evaluate("getComputedStyle(document.querySelector('[data-item-id=short] .text')).direction") == "ltr")
    }

    private func present(_ client: TodoClient, editing item: String) async throws {
        try await client.write { $0.create(.presence, ["projectId": "garden", "state": .json(#"{"item":"\#(item)"}"#)]) }
    }
}
