import Foundation
import Todo
import TodoSync

extension Log {
    /// A log to the standard error stream: one line an event, with the time in UTC and the level.
    static func lines(_ level: LogLevel) -> Log {
        Log(level: level) { level, text in
            let word = level.name + String(repeating: " ", count: 7 - level.name.count)
            let line = "\(Moment.now().wall.rfc3339) \(word) \(printable(text))\n"
            FileHandle.standardError.write(Data(line.utf8))
        }
    }

    /// Keeps one event on one line, whatever a client put into it.
    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }
}
