import Foundation
import Testing

/// One window with the page in it, driven the way a person would: by its elements and by keys.
struct Page: Sendable {
    /// The size of the screen.
    enum Screen: Sendable {
        case desk
        case phone
        case half

        var size: (width: Double, height: Double) {
            switch self {
            case .desk: (1280, 800)
            case .phone: (390, 844)
            case .half: (636, 680)
            }
        }
    }

    let tools: DevTools
    let session: String

    @discardableResult
    func call(_ method: String, _ parameters: JSON = [:]) async throws -> JSON {
        try await tools.call(method, parameters, session: session)
    }

    // MARK: Looking

    /// The value of an expression in the page.
    @discardableResult
    func evaluate(_ expression: String) async throws -> JSON {
        let answer = try await call(
            "Runtime.evaluate", ["expression": .string(expression), "returnByValue": true, "awaitPromise": true, "userGesture": true])
        guard answer["exceptionDetails"] == .null else {
            throw DevTools.Refused(method: expression, answer: answer["exceptionDetails"])
        }
        return answer["result"]["value"]
    }

    /// Waits until an expression has that value; shows what it had instead.
    func wait(for expected: JSON, _ expression: String, seconds: Double = 60) async throws {
        var last = JSON.null
        let came = try await holds(within: seconds) {
            // A page that is being loaded has no context to evaluate in.
            last = (try? await evaluate(expression)) ?? .null
            return last == expected
        }
        guard came else {
            let text = (try? await evaluate("document.body.innerText"))?.string ?? ""
            throw StillNotSo(description: "\(expression) is \(last.text) and not \(expected.text). The page shows:\n\(text)")
        }
    }

    /// Waits until a condition holds in the page.
    func wait(until condition: String, seconds: Double = 60) async throws {
        try await wait(for: true, "Boolean(\(condition))", seconds: seconds)
    }

    /// What the console complained about, without the failed connections of a server that was stopped on purpose.
    func complaints(allowingOutage: Bool = false) async -> [String] {
        await tools.complaints(of: session).filter { complaint in
            !(allowingOutage && complaint.contains("WebSocket connection to") && complaint.contains("net::ERR_CONNECTION"))
        }
    }

    // MARK: Acting

    /// Clicks on the middle of an element, once it has come to rest there.
    func click(_ selector: String) async throws {
        try await wait(until: "document.querySelector(\(Self.quote(selector)))?.checkVisibility()")
        let (x, y) = try await middle(of: selector)
        for type in ["mousePressed", "mouseReleased"] { try await mouse(type, x, y) }
    }

    /// Drags an element by the mouse until the pointer is on the middle of another one.
    func drag(_ selector: String, to other: String) async throws {
        let (x, y) = try await middle(of: selector)
        let (_, end) = try await middle(of: other)
        try await mouse("mousePressed", x, y)
        for step in 1...8 {
            try await mouse("mouseMoved", x, y + (end - y) * Double(step) / 8)
            // The page follows once a frame.
            try await evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))")
        }
        try await mouse("mouseReleased", x, end)
    }

    private func mouse(_ type: String, _ x: Double, _ y: Double) async throws {
        let isMove = type == "mouseMoved"
        try await call(
            "Input.dispatchMouseEvent",
            ["type": .string(type), "x": .number(x), "y": .number(y), "button": "left", "buttons": 1, "clickCount": isMove ? 0 : 1])
    }

    private func middle(of selector: String) async throws -> (x: Double, y: Double) {
        try await rest()
        let place = try await evaluate(
            """
            (() => {
              const element = document.querySelector(\(Self.quote(selector)));
              element.scrollIntoView({ block: "nearest", behavior: "instant" });
              const { left, top, width, height } = element.getBoundingClientRect();
              return { x: left + width / 2, y: top + height / 2 };
            })()
            """)
        return (try #require(place["x"].number), try #require(place["y"].number))
    }

    /// Waits until no row glides any more.
    func rest() async throws {
        try await wait(until: "document.getAnimations().every((animation) => animation.id !== 'row')")
    }

    /// Puts a text in place of what a field holds, by typing it.
    func type(_ text: String, into selector: String) async throws {
        try await wait(until: "document.querySelector(\(Self.quote(selector)))?.checkVisibility()")
        try await evaluate("(() => { const field = document.querySelector(\(Self.quote(selector))); field.focus(); field.select(); })()")
        try await call("Input.insertText", ["text": .string(text)])
    }

    /// Chooses one of a field's values.
    func choose(_ value: String, in selector: String) async throws {
        try await wait(until: "document.querySelector(\(Self.quote(selector)))?.checkVisibility()")
        try await evaluate(
            """
            (() => {
              const choice = document.querySelector(\(Self.quote(selector)));
              choice.value = \(Self.quote(value));
              choice.dispatchEvent(new Event("change", { bubbles: true }));
            })()
            """)
    }

    /// Presses and releases a key where the focus is.
    func press(_ key: Key, alt: Bool = false) async throws {
        var event: [String: JSON] = [
            "key": .string(key.rawValue), "code": .string(key.rawValue), "windowsVirtualKeyCode": .number(Double(key.code)),
            "modifiers": alt ? 1 : 0,
        ]
        if key == .enter { event["text"] = "\r" }
        event["type"] = "keyDown"
        try await call("Input.dispatchKeyEvent", .object(event))
        event["type"] = "keyUp"
        event["text"] = nil
        try await call("Input.dispatchKeyEvent", .object(event))
    }

    /// A key by its name in the DOM.
    enum Key: String, Sendable {
        case enter = "Enter"
        case escape = "Escape"
        case up = "ArrowUp"
        case down = "ArrowDown"
        case home = "Home"
        case end = "End"

        var code: Int {
            switch self {
            case .enter: 13
            case .escape: 27
            case .end: 35
            case .home: 36
            case .up: 38
            case .down: 40
            }
        }
    }

    /// Loads the page anew, as a person does.
    func reload() async throws {
        try await evaluate("window.isTheOldOne = true")
        try await call("Page.reload")
        try await wait(until: "window.isTheOldOne === undefined && document.readyState === 'complete'")
    }

    // MARK: Showing

    /// Gives the window the size of a screen, and one of the two colour schemes.
    func show(as screen: Screen, isDark: Bool = false) async throws {
        let (width, height) = screen.size
        let metrics: JSON = [
            "width": .number(width), "height": .number(height), "deviceScaleFactor": 1, "mobile": .bool(screen == .phone),
        ]
        try await call("Emulation.setDeviceMetricsOverride", metrics)
        try await call(
            "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]])
    }

    /// A picture of the window, as PNG.
    func picture() async throws -> Data {
        try await rest()
        let answer = try await call("Page.captureScreenshot", ["format": "png"])
        return try #require(Data(base64Encoded: answer["data"].string ?? ""))
    }

    /// A text as a literal of the page's language.
    static func quote(_ text: String) -> String { JSON.string(text).text }
}
