import Foundation
import Todo

/// The rules for the names of users, the same for `register`, `login` and nicknames.
///
/// White space around it is trimmed, the text is brought to NFC, and it then has 1–64 code points without control characters.
/// Names are unique without regard to case, by full Unicode case folding.
struct UserName {
    /// The name as it is shown.
    let shown: String
    /// The name as it is compared.
    let folded: String

    init(_ text: String, path: String) throws(Refusal) {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        guard (1...64).contains(trimmed.unicodeScalars.count) else {
            throw Refusal(.invalid, "outOfRange", "A name has 1 to 64 characters.", path: path)
        }
        guard !trimmed.unicodeScalars.contains(where: { Self.isUnprintable($0.properties.generalCategory) }) else {
            throw Refusal(.invalid, "outOfRange", "A name has no control or formatting characters.", path: path)
        }
        shown = trimmed
        folded = CaseFolding.foldedText(trimmed)
    }

    /// The name nearest to what somebody else calls the user: without what names must not hold, and cut to their length.
    init?(nearest text: String) {
        let printable = String(String.UnicodeScalarView(text.unicodeScalars.filter { !Self.isUnprintable($0.properties.generalCategory) }))
        let trimmed = printable.trimmingCharacters(in: .whitespacesAndNewlines).precomposedStringWithCanonicalMapping
        guard let name = try? UserName(Self.cut(trimmed, to: 64), path: "name") else { return nil }
        self = name
    }

    /// The name with a number behind it, within the length that names have.
    func numbered(_ number: Int) -> UserName {
        let suffix = " \(number)"
        let text = Self.cut(shown, to: 64 - suffix.count).trimmingCharacters(in: .whitespacesAndNewlines) + suffix
        return UserName(known: text)
    }

    private init(known text: String) {
        shown = text
        folded = CaseFolding.foldedText(text)
    }

    private static func cut(_ text: String, to scalars: Int) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(scalars)))
    }

    private static func isUnprintable(_ category: Unicode.GeneralCategory) -> Bool {
        switch category {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
