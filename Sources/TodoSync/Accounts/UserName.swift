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

    private static func isUnprintable(_ category: Unicode.GeneralCategory) -> Bool {
        switch category {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
