import Foundation
import TodoProtocol

/// Asks for a new password: on the terminal, without showing it, or as the first line of the standard input where that is none. Never as
/// an argument, which everybody on the machine could read.
enum PasswordPrompt {
    static func ask(for name: String) throws -> String {
        let password = isatty(STDIN_FILENO) == 1 ? try askTwice(name) : readLine(strippingNewline: true) ?? ""
        let bytes = ProtocolLimits.standard.passwordBytesLeast...ProtocolLimits.standard.passwordBytes
        guard bytes.contains(password.utf8.count), !password.utf8.contains(0) else {
            throw UsageError(message: "a password has \(bytes.lowerBound) to \(bytes.upperBound) bytes; it is read from the standard input")
        }
        // What is no UTF-8 was replaced in reading: that would be a password that nobody can type.
        guard !password.contains("\u{FFFD}") else {
            throw UsageError(message: "the password is not valid UTF-8; set the terminal to UTF-8, or type it without special letters")
        }
        return password
    }

    private static func askTwice(_ name: String) throws -> String {
        let first = try hidden("New password for '\(name)': ")
        guard try hidden("The same again: ") == first else { throw UsageError(message: "the two passwords are not the same") }
        return first
    }

    private static func hidden(_ question: String) throws -> String {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else { throw UsageError(message: "the terminal can't be asked") }
        var silent = settings
        // Ctrl-C comes as a character meanwhile, so that the terminal is never left without its echo.
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        // Silent before it asks: what is typed at once would be shown, and then thrown away with what was typed before.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        FileHandle.standardError.write(Data(question.utf8))
        let line = readLine(strippingNewline: true)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        FileHandle.standardError.write(Data("\n".utf8))
        guard let line, !line.utf8.contains(3) else { throw UsageError(message: "nothing was changed") }
        return line
    }
}
