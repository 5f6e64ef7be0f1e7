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
}
