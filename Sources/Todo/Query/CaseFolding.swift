/// Full case folding (Unicode Standard §3.13, `toCasefold`), independent of locale.
package enum CaseFolding {
    /// The folded text: equal for two texts that differ in case only.
    package static func foldedText(_ text: String) -> String { String(decoding: TextFolding.case.fold(text), as: UTF8.self) }
}
