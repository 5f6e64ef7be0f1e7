internal import Bytes

/// Collects the bytes of one HTTP message head, whichever way they are cut, and refuses at once what can't become one.
///
/// Holds no memory between heads, and none at all for a head that comes in one piece.
struct HTTPHeadScanner: ~Copyable {
    enum Step {
        /// The bytes so far are the beginning of a head.
        case incomplete
        /// The head is complete; `consumed` bytes of the last piece belong to it.
        case complete(HTTPHeadLines, consumed: Int)
        case refused(HTTPFault)
    }

    let limits: HTTPLimits
    private var held = ByteWriter()
    private var lineBegin = 0
    private var lineCount = 0
    private var position = 0
    private var afterReturn = false
    private var skippedEmptyLine = false

    init(limits: HTTPLimits) {
        self.limits = limits
    }

    /// Whether a head has begun and is not complete.
    var isInHead: Bool { position > 0 || skippedEmptyLine }

    /// Takes the next piece.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) -> Step {
        let before = position
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if isOrdinary(byte) {
                position += 1
                continue
            }
            if let fault = take(byte) { return .refused(fault) }
            if byte != UInt8(ascii: "\n") { continue }
            let lineLength = position - lineBegin - 2
            if lineLength == 0 && lineCount == 0 {
                // One empty line before a request is forgiven (RFC 9112 §2.2).
                if skippedEmptyLine { return .refused(HTTPFault(400, "The request begins with empty lines.")) }
                skippedEmptyLine = true
            }
            if lineLength == 0 && lineCount > 0 { return finish(bytes, before: before, consumed: index + 1) }
            if lineLength > 0 {
                lineCount += 1
                if lineCount > limits.headerCountMax + 1 {
                    return .refused(HTTPFault(431, "The head has more than \(limits.headerCountMax) header lines."))
                }
            }
            lineBegin = position
        }
        held.append(bytes)
        return .incomplete
    }

    /// Whether the byte is a printable one inside a line, with room left: nearly all are, and need no closer look.
    @inline(__always) private func isOrdinary(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F && !afterReturn && position < bound
    }

    /// The position up to which the present line and the head stay within their bounds.
    private var bound: Int {
        min(limits.headBytesMax, lineBegin + (lineCount == 0 ? limits.startLineBytesMax : limits.headerLineBytesMax))
    }

    /// Checks one byte against its neighbours and the bounds.
    private mutating func take(_ byte: UInt8) -> HTTPFault? {
        position += 1
        if afterReturn != (byte == UInt8(ascii: "\n")) {
            return HTTPFault(400, "Lines end with a carriage return and a line feed, which stand nowhere else.")
        }
        afterReturn = byte == UInt8(ascii: "\r")
        let isControl = byte < 0x20 && byte != UInt8(ascii: "\t") && byte != UInt8(ascii: "\r") && byte != UInt8(ascii: "\n")
        if isControl || byte == 0x7F { return HTTPFault(400, "The head holds a control character.") }
        if position > limits.headBytesMax { return HTTPFault(431, "The head is larger than \(limits.headBytesMax) bytes.") }
        // The line's end is not part of its length.
        let length = position - lineBegin - (byte == UInt8(ascii: "\r") ? 1 : byte == UInt8(ascii: "\n") ? 2 : 0)
        if lineCount == 0 {
            if length > limits.startLineBytesMax {
                return HTTPFault(414, "The first line is longer than \(limits.startLineBytesMax) bytes.")
            }
        } else if length > limits.headerLineBytesMax {
            return HTTPFault(431, "A header line is longer than \(limits.headerLineBytesMax) bytes.")
        }
        return nil
    }

    private mutating func finish(_ bytes: UnsafeRawBufferPointer, before: Int, consumed: Int) -> Step {
        let piece = UnsafeRawBufferPointer(rebasing: bytes[..<consumed])
        let head: SharedBytes
        if before == 0 {
            head = SharedBytes(copying: piece)
        } else {
            held.append(piece)
            head = held.finish()
        }
        held.release()
        lineBegin = 0
        lineCount = 0
        position = 0
        afterReturn = false
        skippedEmptyLine = false
        do {
            return .complete(try HTTPHeadLines(head), consumed: consumed)
        } catch {
            return .refused(error)
        }
    }
}

/// A complete head cut into its first line and its header lines.
struct HTTPHeadLines {
    let head: SharedBytes
    let startLine: String
    let headers: HTTPHeaders

    /// Cuts a head whose line ends have been checked.
    init(_ head: SharedBytes) throws(HTTPFault) {
        self.head = head
        var start = 0..<0
        var fields: [HTTPHeaders.Field] = []
        fields.reserveCapacity(24)
        var fault: HTTPFault?
        head.withUnsafeBytes { bytes in
            var begin = 0
            while begin < bytes.count, fault == nil {
                var end = begin
                while bytes[end] != UInt8(ascii: "\r") { end += 1 }
                if end > begin {
                    if start.isEmpty {
                        start = begin..<end
                    } else {
                        do throws(HTTPFault) {
                            fields.append(try HTTPHeadLines.field(bytes, begin, end))
                        } catch {
                            fault = error
                        }
                    }
                }
                begin = end + 2
            }
        }
        if let fault { throw fault }
        startLine = head.withUnsafeBytes { String(decoding: $0[start], as: UTF8.self) }
        headers = HTTPHeaders(head: head, fields: fields)
    }

    /// Cuts one header line: a name of token bytes, a colon right behind it, a value with white space around it.
    private static func field(_ bytes: UnsafeRawBufferPointer, _ begin: Int, _ end: Int) throws(HTTPFault) -> HTTPHeaders.Field {
        if bytes[begin] == UInt8(ascii: " ") || bytes[begin] == UInt8(ascii: "\t") {
            throw HTTPFault(400, "A header line begins with white space: folded lines are not taken.")
        }
        var colon = begin
        while colon < end, isTokenByte(bytes[colon]) { colon += 1 }
        guard colon < end, colon > begin, bytes[colon] == UInt8(ascii: ":") else {
            throw HTTPFault(400, "A header line is not a name, a colon right behind it, and a value.")
        }
        var valueBegin = colon + 1
        var valueEnd = end
        while valueBegin < valueEnd, isBlank(bytes[valueBegin]) { valueBegin += 1 }
        while valueEnd > valueBegin, isBlank(bytes[valueEnd - 1]) { valueEnd -= 1 }
        return HTTPHeaders.Field(
            nameBegin: Int32(begin), nameEnd: Int32(colon), valueBegin: Int32(valueBegin), valueEnd: Int32(valueEnd))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
