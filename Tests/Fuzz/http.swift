import Bytes
import WebSocket

/// What came out of a stream of requests, as text.
private func outcome(of bytes: UnsafeRawBufferPointer, cutAt sizes: [Int], limits: HTTPLimits) -> [String] {
    var parser = HTTPRequestParser(limits: limits)
    var found: [String] = []
    FuzzInput.feed(bytes, cutAt: sizes) { piece in
        var rest = UnsafeRawBufferPointer(piece)
        while !rest.isEmpty {
            switch parser.parse(rest) {
            case .incomplete: return true
            case .refused(let fault):
                require([400, 414, 431, 501, 505].contains(fault.status), "an undeclared status \(fault.status)")
                found.append("refused \(fault)")
                return false
            case .head(let head, let consumed):
                require(consumed > 0 && consumed <= rest.count, "\(consumed) bytes taken of \(rest.count)")
                require(!parser.isInHead, "a complete head leaves a beginning")
                verify(head)
                found.append(describe(head))
                rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
            }
        }
        return true
    }
    if parser.isInHead { found.append("unfinished") }
    return found
}

private func describe(_ head: HTTPRequestHead) -> String {
    let body =
        switch head.body {
        case .none: "nothing"
        case .length(let length): "\(length) bytes"
        case .chunked: "chunks"
        }
    let lines = head.headers.lines.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    return "\(head.method) \(head.target) \(head.minorVersion) \(body) \(head.keepAlive)\n\(lines)"
}

/// What every accepted head promises to those who act on it.
private func verify(_ head: HTTPRequestHead) {
    require(head.path.hasPrefix("/") || head.path == "*", "the path \(head.path)")
    require(!head.path.contains("?"), "a query in the path \(head.path)")
    require(head.minorVersion == 0 || head.headers.count(of: "Host") == 1, "no Host")
    require(head.headers.count <= 100, "\(head.headers.count) headers")
    for (name, value) in head.headers.lines {
        require(!name.isEmpty && !name.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: ":") }, "the header name \(name)")
        require(!value.utf8.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F }, "a control character in the value \(value)")
    }
    // Ambiguous bodies are how requests get smuggled.
    let codings = head.headers.count(of: "Transfer-Encoding")
    let lengths = head.headers.count(of: "Content-Length")
    require(codings + lengths <= 1, "two ways to delimit the body")
    require((head.body == .chunked) == (codings == 1), "the body is \(head.body) with \(codings) codings")
    if case .length(let length) = head.body { require(length > 0, "the body's length is \(length)") }
}

/// Requests one behind the other, cut as the fuzzer likes: the same comes out however they are cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTP(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let limits =
        input.choice() & 1 == 0
        ? HTTPLimits() : HTTPLimits(startLineBytesMax: 64, headerLineBytesMax: 48, headerCountMax: 4, headBytesMax: 160)
    let sizes = input.cuts()
    let whole = outcome(of: input.bytes, cutAt: [], limits: limits)
    let cut = outcome(of: input.bytes, cutAt: sizes, limits: limits)
    require(whole == cut, "whole: \(whole)\ncut: \(cut)")
    return 0
}
