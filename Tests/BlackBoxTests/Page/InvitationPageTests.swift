import Testing

/// Invitation links as people hand them on: with what a mail or a chat has put behind them, or cut short.
@Suite(.chromium) struct InvitationPageTests {
    @Test func `a link is taken for what is its code, whatever stands beside it`() async throws {
        try await withServer(.init(providers: "nickname", access: "private")) { server in
            try await withBrowser { browser in
                let ann = try await browser.open(server.page)
                try await ann.logIn(as: "ann")
                let link = try await ann.makeInvitationLink()
                let before = link.replacing("#invite=", with: "#invite=%3C")
                for (number, damaged) in [link + ".", link + "%29%2C", link + "%", link + "_", before + "%3E"].enumerated() {
                    let guest = try await browser.open(damaged)
                    try await guest.wait(until: "document.querySelector('#login-notice')?.textContent.includes('invitation')")
                    try await guest.logIn(as: "guest \(number)")
                    try await guest.wait(for: "Garden", "document.querySelector('#project-title')?.textContent ?? null")
                    #expect(await guest.complaints() == [])
                }
            }
        }
    }

    @Test func `a link without a whole code is said to be damaged, and does not stay in the address`() async throws {
        try await withServer(.init(providers: "nickname", access: "private")) { server in
            try await withBrowser { browser in
                let page = try await browser.open(server.page + "#invite=")
                try await page.wait(until: "document.querySelector('#login-notice')?.textContent.includes('damaged')")
                try await page.logIn(as: "ann")
                let damages = [nil, "#invite", "#invite=abc", "#invite=\(String(repeating: "a", count: 200))"]
                for hash in damages {
                    if let hash { try await page.evaluate("location.hash = \(Page.quote(hash))") }
                    try await page.wait(until: "document.querySelector('#toasts').textContent.includes('damaged')")
                    try await page.wait(for: "#/", "location.hash")
                    try await page.evaluate("document.querySelector('#toasts').replaceChildren()")
                }
                #expect(await page.complaints() == [])
            }
        }
    }

    @Test func `whoever makes a link says how often and how long it holds, within what the server allows`() async throws {
        try await withServer(.init(providers: "nickname", access: "private", flags: ["--invite-days", "10"])) { server in
            try await withBrowser { browser in
                let ann = try await browser.open(server.page)
                try await ann.logIn(as: "ann")
                _ = try await ann.makeInvitationLink()
                try await waitForLink(ann, 1, "20 uses left", days: 7)
                try await ann.choose("1", in: "#link-uses")
                try await ann.choose("86400", in: "#link-seconds")
                try await ann.click("#make-link")
                try await waitForLink(ann, 2, "1 use left", days: 1)
                let allowed =
                    "[...document.querySelector('#link-seconds').options].filter(({ disabled }) => !disabled).map(({ value }) => value)"
                #expect(try await ann.evaluate(allowed) == ["86400", "604800"])
                let link = try #require(try await ann.evaluate("document.querySelector('#link').value").string)
                for (guest, isIn) in [("bob", true), ("cy", false)] {
                    let page = try await browser.open(link)
                    try await page.wait(until: "document.querySelector('#login-notice')?.textContent.includes('invitation')")
                    try await page.logIn(as: guest)
                    if isIn {
                        try await page.wait(for: "Garden", "document.querySelector('#project-title')?.textContent ?? null")
                    } else {
                        try await page.wait(until: "document.querySelector('#toasts').textContent.includes('does not hold')")
                    }
                }
                #expect(await ann.complaints() == [])
            }
        }
    }

    /// The day is the browser's own, which may be another one than this process's.
    private func waitForLink(_ page: Page, _ number: Int, _ uses: String, days: Int) async throws {
        try await page.wait(
            until: """
                (() => {
                  const rows = document.querySelectorAll("#invites .detail");
                  const until = new Date(Date.now() + \(days) * 86_400_000).toLocaleDateString(undefined, { day: "numeric", month: "short" });
                  return rows.length === \(number) && [...rows].some(({ textContent }) => textContent === `until ${until}, \(uses)`);
                })()
                """)
    }
}
