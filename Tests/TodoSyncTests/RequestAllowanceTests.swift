import TestSupport
import Testing
import TodoSync

/// What one session may have waiting: as the reader of its messages counts it, and as the hub reports what is worked off.
struct RequestAllowanceTests {
    private static let info = #"{"jsonrpc":"2.0","id":7,"method":"info"}"#

    private static func limits(requests: Int, bytes: Int) -> SyncLimits {
        var limits = SyncLimits()
        limits.queuedRequests = requests
        limits.queuedBytes = bytes
        limits.queuedRequestsBeforeLogin = max(1, requests / 10)
        limits.queuedBytesBeforeLogin = bytes / 10
        return limits
    }

    private static func report(requests: Int, bytes: Int, isLoggedIn: Bool = false) -> WorkReport {
        var report = WorkReport()
        report.requests = requests
        report.bytes = bytes
        report.isLoggedIn = isLoggedIn
        return report
    }

    @Test func `it is used up by requests or by bytes, whichever is first, and free again when half of both is worked off`() {
        let limits = Self.limits(requests: 100, bytes: 10_000)
        var allowance = RequestAllowance()
        allowance.takeBack(Self.report(requests: 0, bytes: 0, isLoggedIn: true))
        allowance.take(requests: 99, bytes: 6_000)
        #expect(!allowance.isUsedUp(limits))
        allowance.take(requests: 1, bytes: 0)
        #expect(allowance.isUsedUp(limits) && !allowance.isHalfFree(limits))
        allowance.takeBack(Self.report(requests: 50, bytes: 999, isLoggedIn: true))
        #expect(!allowance.isHalfFree(limits))
        allowance.takeBack(Self.report(requests: 0, bytes: 1, isLoggedIn: true))
        #expect(allowance.isHalfFree(limits))
        allowance.take(requests: 1, bytes: 5_000)
        #expect(allowance.isUsedUp(limits))
    }

    @Test func `before a log-in it is narrower`() {
        let limits = Self.limits(requests: 100, bytes: 10_000)
        for (requests, bytes) in [(10, 0), (1, 1_000)] {
            var allowance = RequestAllowance()
            allowance.take(requests: requests, bytes: bytes)
            #expect(allowance.isUsedUp(limits))
            allowance.takeBack(Self.report(requests: 0, bytes: 0, isLoggedIn: true))
            #expect(!allowance.isUsedUp(limits) && allowance.isHalfFree(limits))
        }
    }

    @Test(arguments: [1, 2, 3, 5, 64, 1_000])
    func `whatever is sent, no more waits than may and one message, and all is answered in order`(_ requests: Int) throws {
        var random = SplitMix(seed: UInt64(requests))
        for isLoggedIn in [false, true] {
            let limits = Self.limits(requests: requests, bytes: 20_000)
            let harness = try HubHarness { $0.limits = limits }
            let client = isLoggedIn ? try harness.login("Ben") : harness.connect()
            let before = client.messages.count
            var allowance = RequestAllowance()
            for report in client.reports { allowance.takeBack(report) }
            client.reports = []
            // The log-in itself was not counted here; the hub may have yet to report it.
            if isLoggedIn { allowance.take(requests: 1, bytes: 0) }
            var sent: [Int] = []
            var isHeld = false
            for _ in 0..<400 {
                var inputs: [TodoSync.Input] = []
                let hubHad = harness.hub.figures.requests
                let first = sent.count
                while !isHeld && inputs.count < 30 {
                    let count = 1 + random.next(upTo: 8)
                    let texts = (0..<count).map { Self.info.replacing("7", with: "\(sent.count + $0)", maxReplacements: 1) }
                    sent += (0..<count).map { sent.count + $0 }
                    let text = count == 1 ? texts[0] : "[\(texts.joined(separator: ","))]"
                    let padded = text + String(repeating: " ", count: random.next(upTo: 3_000))
                    inputs.append(client.input(padded))
                    allowance.take(requests: count, bytes: padded.utf8.count)
                    isHeld = allowance.isUsedUp(limits)
                }
                #expect(sent.count - first < requests + 8)
                harness.process(inputs)
                #expect(harness.hub.figures.requests - hubHad == sent.count - first)
                for report in client.reports { allowance.takeBack(report) }
                client.reports = []
                if isHeld { isHeld = !allowance.isHalfFree(limits) }
                #expect(!isHeld, "nothing waits any more, and nobody is to be told that later")
            }
            #expect(client.messages.dropFirst(before).compactMap { $0["id"] as? Int } == sent)
        }
    }
}
