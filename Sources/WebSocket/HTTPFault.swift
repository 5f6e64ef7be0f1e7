/// Why an HTTP message was refused: the status to answer with and a sentence for whoever sent it.
///
/// The connection must be closed after the answer, as where the next message begins is not known.
public struct HTTPFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status code: 400, 414, 431, 501 or 505.
    public let status: Int
    /// What was wrong, as a sentence.
    public let sentence: String

    /// A fault to answer with `status`.
    public init(_ status: Int, _ sentence: String) {
        self.status = status
        self.sentence = sentence
    }

    /// The status and the sentence.
    public var description: String { "\(status): \(sentence)" }
}
