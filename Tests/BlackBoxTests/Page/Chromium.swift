import Foundation
import Testing

/// The browser of one test: the windows that it opens are closed when the test ends. Made by `withBrowser`.
final class Browser {
    private let tools: DevTools
    private var contexts: [JSON] = []

    fileprivate init(tools: DevTools) {
        self.tools = tools
    }

    /// Opens a window of a person of its own: nothing of the others' storage is in it.
    func open(_ url: String, _ screen: Page.Screen = .desk) async throws -> Page {
        let context = try await tools.call("Target.createBrowserContext")["browserContextId"]
        contexts.append(context)
        let target = try await tools.call(
            "Target.createTarget", ["url": "about:blank", "browserContextId": context, "newWindow": true])["targetId"]
        let answer = try await tools.call("Target.attachToTarget", ["targetId": target, "flatten": true])
        let session = try #require(answer["sessionId"].string)
        let page = Page(tools: tools, session: session)
        for domain in ["Page", "Runtime", "Log"] { try await page.call("\(domain).enable") }
        try await page.call("Emulation.setFocusEmulationEnabled", ["enabled": true])
        try await page.show(as: screen)
        try await page.call("Page.navigate", ["url": .string(url)])
        return page
    }

    fileprivate func closeWindows() async {
        for context in contexts { _ = try? await tools.call("Target.disposeBrowserContext", ["browserContextId": context]) }
    }
}

/// Windows for the body, closed afterwards.
func withBrowser<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (Browser) async throws -> Result
) async throws -> Result {
    let browser = Browser(tools: try #require(ChromiumTrait.tools, "the suite has the trait 'chromium'"))
    await Turnstile.ofBrowsers.enter()
    do {
        let result = try await body(browser)
        await browser.closeWindows()
        await Turnstile.ofBrowsers.leave()
        return result
    } catch {
        await browser.closeWindows()
        await Turnstile.ofBrowsers.leave()
        throw error
    }
}

/// Lets a few in at a time: where dozens of windows share two cores, none of them gets anywhere while a test waits for it.
private actor Turnstile {
    static let ofBrowsers = Turnstile(places: 3)

    private var places: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    private init(places: Int) {
        self.places = places
    }

    func enter() async {
        guard places == 0 else { return places -= 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        guard !waiting.isEmpty else { return places += 1 }
        waiting.removeFirst().resume()
    }
}

/// One headless Chromium for all tests of a suite, started before the first and ended after the last.
struct ChromiumTrait: SuiteTrait, TestScoping {
    @TaskLocal fileprivate static var tools: DevTools?

    func provideScope(for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void) async throws {
        try await withChromium { tools in
            try await Self.$tools.withValue(tools) { try await function() }
        }
    }
}

extension Trait where Self == ChromiumTrait {
    /// The suite's tests drive a browser, by `withBrowser`.
    static var chromium: ChromiumTrait { ChromiumTrait() }
}

/// A running browser for the body.
private func withChromium<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: (DevTools) async throws -> Result
) async throws -> Result {
    try await withTemporaryFolder("browser") { folder in
        let profile = folder.appending(path: "profile")
        let process = try ChildProcess(
            try chromiumProgram(),
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
                "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
                // A test's server vouches for itself.
                "--ignore-certificate-errors",
                "--remote-debugging-port=0", "--user-data-dir=\(profile.path)", "about:blank",
            ],
            output: folder.appending(path: "browser.log"))
        defer { process.kill() }
        let place = profile.appending(path: "DevToolsActivePort")
        var lines: [Substring] = []
        try await eventually("Chromium tells its debugging port; it has printed: \(process.printed)", seconds: 60) {
            lines = ((try? String(contentsOf: place, encoding: .utf8)) ?? "").split(separator: "\n")
            return lines.count >= 2 || !process.isRunning
        }
        guard lines.count >= 2 else { throw ChildProcess.Failure(description: "Chromium ended at once: \(process.printed)") }
        let tools = try await DevTools(url: "ws://127.0.0.1:\(lines[0])\(lines[1])")
        await tools.start()
        do {
            let result = try await body(tools)
            await tools.stop()
            return result
        } catch {
            await tools.stop()
            throw error
        }
    }
}

private func chromiumProgram() throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
    let places = folders.flatMap { folder in ["chromium", "chromium-browser", "google-chrome"].map { "\(folder)/\($0)" } }
    guard let program = places.first(where: { access($0, X_OK) == 0 }) else {
        throw ChildProcess.Failure(description: "there is no Chromium; install it (apt-get install chromium)")
    }
    return program
}
