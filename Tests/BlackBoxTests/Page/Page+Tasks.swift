/// What a person does on the page, step by step.
extension Page {
    /// Logs in by a nickname and waits for the projects.
    func logIn(as nickname: String) async throws {
        try await type(nickname, into: "#nickname")
        try await press(.enter)
        try await waitUntilOnline(as: nickname)
    }

    /// Waits until the page is logged in on a living connection.
    func waitUntilOnline(as name: String) async throws {
        try await wait(for: "true", "document.documentElement.dataset.online")
        try await wait(for: .string(name), "document.querySelector('#user-name').textContent")
    }

    /// Adds a project by its form.
    func addProject(_ name: String) async throws {
        try await type(name, into: "#new-project")
        try await press(.enter)
    }

    /// Opens the project of that name.
    func openProject(_ name: String) async throws {
        let row = Self.row("[data-project-id]", ".name", name)
        try await wait(until: row)
        try await evaluate("\(row).querySelector('.open').click()")
        try await wait(for: .string(name), "document.querySelector('#project-title')?.textContent ?? null")
        try await wait(until: "document.querySelectorAll('[data-view=board] .list[data-state=complete]').length === 2")
    }

    /// The row that has that text in one of its parts.
    private static func row(_ rows: String, _ part: String, _ text: String) -> String {
        "[...document.querySelectorAll('\(rows)')].find((row) => row.querySelector('\(part)').textContent === \(quote(text)))"
    }

    /// Adds a task by the form below the open ones.
    func addTask(_ text: String) async throws {
        try await type(text, into: "#new-task")
        try await press(.enter)
    }

    /// The selector of a task's row, or of something in it.
    func task(_ text: String, _ inside: String = "") async throws -> String {
        let row = Self.row("[data-item-id]", ".text", text)
        try await wait(until: row)
        let id = try await evaluate("\(row).dataset.itemId").string ?? ""
        return "[data-item-id='\(id)'] \(inside)"
    }

    /// The selector of a member's row in the sharing panel, or of something in it.
    func member(_ name: String, _ inside: String = "") async throws -> String {
        let row = Self.row("#members li", ".name", name)
        try await wait(until: row)
        let id = try await evaluate("\(row).dataset.userId").string ?? ""
        return "#members [data-user-id='\(id)'] \(inside)"
    }

    /// Ticks a task, or takes its tick away.
    func tick(_ text: String) async throws { try await click(task(text, "[data-action=tick]")) }

    /// Moves a task by a key on its handle.
    func move(_ text: String, _ key: Key) async throws {
        let handle = try await task(text, "[data-action=move]")
        try await evaluate("document.querySelector(\(Self.quote(handle))).focus()")
        try await press(key)
    }

    /// Waits until the board shows these tasks in its two sections, and their numbers in the headings.
    func waitForTasks(open: [String], completed: [String]) async throws {
        let expected: JSON = [
            "open": .array(open.map { .string($0) }), "completed": .array(completed.map { .string($0) }),
            "counts": [.string("\(open.count)"), .string("\(completed.count)")],
        ]
        try await wait(
            for: expected,
            """
            (() => {
              const texts = (selector) => [...document.querySelectorAll(selector)].map((element) => element.textContent.trim());
              return {
                open: texts("#open-tasks [data-item-id] .text"),
                completed: texts("#completed-tasks [data-item-id] .text"),
                counts: texts("[data-view=board] .count"),
              };
            })()
            """)
    }

    /// Waits until a section of the projects shows these names and counts.
    func waitForProjects(_ section: String, _ expected: [[String]]) async throws {
        try await wait(
            for: .array(expected.map { .array($0.map { .string($0) }) }),
            """
            [...document.querySelectorAll('\(section) [data-project-id]')]
              .map((row) => [row.querySelector('.name').textContent, row.querySelector('.counts').textContent])
            """)
    }
}

/// Waits until both windows show the same board.
func waitForTasks(_ pages: [Page], open: [String], completed: [String]) async throws {
    for page in pages { try await page.waitForTasks(open: open, completed: completed) }
}
