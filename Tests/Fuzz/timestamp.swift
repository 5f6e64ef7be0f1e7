import Todo

/// A text as an RFC 3339 date, and a number as a moment.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTimestamp(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    FuzzInput.feed(UnsafeRawBufferPointer(start: start, count: count), cutAt: []) { bytes in
        guard let moment = Timestamp(rfc3339: UnsafeRawBufferPointer(bytes)) else { return true }
        require(moment >= .earliest && moment <= .latest, "\(moment.milliseconds) is outside the years 0001 to 9999")
        let text = moment.rfc3339
        require(Timestamp(rfc3339: text) == moment, "\(moment.milliseconds) is written \(text), which reads otherwise")
        // In UTC the text names the very minute that it was read from.
        if bytes.last == UInt8(ascii: "Z") || bytes.last == UInt8(ascii: "z") {
            let same = zip(text.utf8, bytes).enumerated().allSatisfy { place, pair in place == 10 || place >= 17 || pair.0 == pair.1 }
            require(same, "another minute is written: \(text)")
        }
        // The text is a whole one: no byte can be left out at its end.
        require(Timestamp(rfc3339: UnsafeRawBufferPointer(rebasing: bytes[..<10])) == nil, "a day alone is taken")
        return true
    }
    // The same bytes as a number: every moment that can be named is written and read again.
    guard count == 8 else { return 0 }
    let number = UnsafeRawPointer(start).loadUnaligned(as: Int64.self)
    let span = Timestamp.latest.milliseconds - Timestamp.earliest.milliseconds
    let moment = Timestamp(milliseconds: Timestamp.earliest.milliseconds + Int64(number.magnitude % UInt64(span)))
    require(Timestamp(rfc3339: moment.rfc3339) == moment, "\(moment.milliseconds) is written \(moment.rfc3339)")
    return 0
}
