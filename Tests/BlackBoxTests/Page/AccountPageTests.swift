import Foundation
import Testing
import TodoClient

/// The account's dialog: a password is changed there, and sessions are seen and ended.
@Suite(.chromium) struct AccountPageTests {
    private func logIn(_ page: Page, _ password: String, registers: Bool = false) async throws {
        try await page.wait(until: "document.querySelector('#username')?.checkVisibility()")
        if registers {
            try await page.click("#register")
        }
        try await page.type("ann", into: "#username")
        try await page.type(password, into: "#password")
        try await page.click("#login")
        try await page.waitUntilOnline(as: "ann")
    }

    private func openAccount(_ page: Page, sessions: Int) async throws {
        try await page.click("#account-open")
        try await page.wait(until: "document.querySelector('#account-dialog').open")
        try await page.wait(until: "document.querySelectorAll('[data-session]').length === \(sessions)")
    }

    /// Two windows of one account, and its dialog open in the first of them.
    private func withTwoWindows(_ body: (_ desk: Page, _ phone: Page) async throws -> Void) async throws {
        try await withServer(.init(providers: "password")) { server in
            try await withBrowser { browser in
                let desk = try await browser.open(server.page)
                let phone = try await browser.open(server.page)
                try await logIn(desk, "correct horse", registers: true)
                try await logIn(phone, "correct horse")
                try await openAccount(desk, sessions: 2)
                try await body(desk, phone)
                #expect(await desk.complaints() == [])
            }
        }
    }

    @Test func `a password is changed and other windows are logged out`() async throws {
        try await withTwoWindows { desk, phone in
            try await desk.wait(until: "document.querySelector('#password-form').checkVisibility()")
            try await desk.type("wrong horse", into: "#old-password")
            try await desk.type("battery staple", into: "#new-password")
            try await desk.click("#password-save")
            try await desk.wait(until: "document.querySelector('#account-problem').checkVisibility()")
            try await desk.evaluate("document.querySelector('#password-form').reset()")
            try await desk.type("correct horse", into: "#old-password")
            try await desk.type("battery staple", into: "#new-password")
            try await desk.press(.enter)
            try await desk.wait(until: "document.querySelector('#account-done').checkVisibility()")
            try await desk.wait(until: "document.querySelectorAll('[data-session]').length === 1")
            try await desk.wait(for: "", "document.querySelector('#new-password').value")
            try await waitForNotice(phone, "You were logged out: the password was changed.")
            try await logIn(phone, "battery staple")
        }
    }

    @Test func `a session is ended from another one, and all of them at once`() async throws {
        try await withTwoWindows { desk, phone in
            try await desk.click("[data-session]:nth-child(2) [data-action=end]")
            try await desk.wait(until: "document.querySelectorAll('[data-session]').length === 1")
            try await waitForNotice(phone, "You were logged out: another window or device ended the session.")
            try await logIn(phone, "correct horse")
            try await desk.click("#log-out-everywhere")
            for page in [desk, phone] { try await page.wait(until: "document.querySelector('#username')?.checkVisibility()") }
            try await waitForNotice(phone, "You were logged out: another window or device logged out.")
            #expect(try await desk.evaluate("document.querySelector('#login-notice').checkVisibility()") == false)
        }
    }

    @Test func `who is suspended is told so, and the next log-in is refused in words for a person`() async throws {
        try await withServer(.init(providers: "password")) { server in
            try await withBrowser { browser in
                let page = try await browser.open(server.page)
                try await logIn(page, "correct horse", registers: true)
                try await openAccount(page, sessions: 1)
                try await server.operate("suspend", "ann")
                try await waitForNotice(page, "You were logged out: the account is suspended.")
                try await page.wait(until: "document.querySelector('dialog[open]') === null")
                try await page.type("ann", into: "#username")
                try await page.type("correct horse", into: "#password")
                try await page.click("#login")
                let refusal = "This name and this password are not those of an account that may log in."
                try await page.wait(for: .string(refusal), "document.querySelector('#login-error').textContent")
                try await server.operate("suspend", "ann", "--lift")
                try await logIn(page, "correct horse")
                try await server.operate("delete", "ann")
                try await waitForNotice(page, "You were logged out: the account was deleted.")
            }
        }
    }

    private func waitForNotice(_ page: Page, _ text: String) async throws {
        try await page.wait(for: .string(text), "document.querySelector('#login-notice')?.textContent ?? null")
    }

    /// The server counts bytes, and what
    @Test func `each session shows since when it is logged in, and one of them is marked as this one`() async throws {
        try await withTwoWindows { desk, _ in
            let year = try await desk.evaluate("String(new Date().getFullYear())").string ?? "none"
            try await desk.wait(
                for: [true, true],
                """
                [...document.querySelectorAll("[data-session] .place")]
                  .map(({ textContent: text }) => /^Since .*\(year).*, connected from 127.0.0.1$/.test(text))
                """)
            try await desk.wait(
                for: ["This one", ""],
                "[...document.querySelectorAll('[data-session] .here')].map((mark) => (mark.checkVisibility() ? mark.textContent : ''))")
        }
    }

    /// The server counts bytes, and what people see as one letter may be more.
    @Test func `a new password is judged by the page as the server judges it`() async throws {
        let passwords = [
            ("1234567", false), ("12345678", true), ("пар", false), ("пароль", true), ("pass漢", false), ("パスワード", true), ("👨‍👩‍👧", true),
            (String(repeating: "я", count: 512), true), (String(repeating: "я", count: 512) + "1", false),
        ]
        try await withServer(.init(providers: "password")) { server in
            try await withBrowser { browser in
                let page = try await browser.open(server.page)
                try await page.wait(until: "document.querySelector('#username')?.checkVisibility()")
                try await page.click("#register")
                try await page.type("ann", into: "#username")
                for (number, (password, isGood)) in passwords.enumerated() {
                    let client = try await connect(to: server)
                    let refused = try await refusal { _ = try await client.register(username: "user \(number)", password: password) }
                    #expect((refused == nil) == isGood, "\(password)")
                    guard !isGood else { continue }
                    try await page.evaluate("document.querySelector('#login-error').textContent = ''")
                    try await page.type(password, into: "#password")
                    try await page.press(.enter)
                    try await page.wait(until: "document.querySelector('#login-error').textContent.includes('it counts as')")
                }
                try await page.type("пароль", into: "#password")
                try await page.press(.enter)
                try await page.wait(for: "ann", "document.querySelector('#user-name').textContent")
                try await changePassword(page, from: "пароль")
                #expect(await page.complaints() == [])
            }
        }
    }

    private func changePassword(_ page: Page, from old: String) async throws {
        try await openAccount(page, sessions: 1)
        try await page.wait(until: "document.querySelector('#password-form').checkVisibility()")
        try await page.type(old, into: "#old-password")
        try await page.type("пар", into: "#new-password")
        try await page.press(.enter)
        try await page.wait(until: "document.querySelector('#account-problem').textContent.includes('it counts as 6')")
        try await page.type("слово", into: "#new-password")
        try await page.press(.enter)
        try await page.wait(until: "document.querySelector('#account-done').checkVisibility()")
    }
}
