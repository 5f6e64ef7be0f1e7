import Network
import Testing

@Suite struct MailboxTests {
    private struct Letter: Sendable, Equatable {
        var producer: Int
        var number: Int
    }

    /// Starts producers that each post `letters` numbers, singly and in batches.
    private func start(producers: Int, letters: Int, into mailbox: Mailbox<Letter>) throws {
        for producer in 0..<producers {
            _ = try NamedThread(name: "producer") {
                var number = 0
                while number < letters {
                    if number % 7 == 0, number + 5 <= letters {
                        mailbox.post(contentsOf: (number..<number + 5).map { Letter(producer: producer, number: $0) })
                        number += 5
                    } else {
                        mailbox.post(Letter(producer: producer, number: number))
                        number += 1
                    }
                }
            }
        }
    }

    @Test func `a waiting thread gets everything that several producers post, each producer's in order`() throws {
        let mailbox = try Mailbox<Letter>()
        try start(producers: 4, letters: 20_000, into: mailbox)
        var next = [0, 0, 0, 0]
        var batch: [Letter] = []
        while next.reduce(0, +) < 80_000 {
            try #require(mailbox.wait(timeoutMilliseconds: 30_000))
            mailbox.takeAll(into: &batch)
            for letter in batch {
                #expect(letter.number == next[letter.producer])
                next[letter.producer] = letter.number + 1
            }
            batch.removeAll(keepingCapacity: true)
        }
        #expect(!mailbox.wait(timeoutMilliseconds: 0))
    }

    @Test func `waiting ends when nothing comes`() throws {
        let mailbox = try Mailbox<Int>()
        #expect(!mailbox.wait(timeoutMilliseconds: 5))
        #expect(mailbox.post(1) == 1)
        #expect(mailbox.post(contentsOf: [2, 3]) == 3)
        #expect(mailbox.wait(timeoutMilliseconds: -1))
    }

    private struct Collector: EventHandler {
        typealias Message = Letter
        var next: [Int]
        var left: Int
        var isInOrder = true

        mutating func received(_ bytes: UnsafeMutableRawBufferPointer, _ id: ConnectionID, _ loop: inout EventLoop) {}

        mutating func posted(_ messages: [Letter], _ loop: inout EventLoop) {
            for letter in messages {
                if letter.number != next[letter.producer] { isInOrder = false }
                next[letter.producer] = letter.number + 1
                left -= 1
            }
            if left == 0 { loop.stop() }
        }
    }

    @Test func `an event loop gets everything that several producers post, each producer's in order`() throws {
        let mailbox = try Mailbox<Letter>()
        var loop = try EventLoop()
        var collector = Collector(next: [0, 0, 0], left: 60_000)
        try start(producers: 3, letters: 20_000, into: mailbox)
        try loop.run(&collector, mailbox: mailbox)
        #expect(collector.isInOrder)
        #expect(collector.next == [20_000, 20_000, 20_000])
    }

    @Test func `what is urgent shows until it is taken, and nothing else does`() throws {
        let mailbox = try Mailbox<Int>()
        var batch: [Int] = []
        mailbox.post(1)
        mailbox.post(contentsOf: [2, 3])
        #expect(!mailbox.isUrgent)
        mailbox.post(4, isUrgent: true)
        mailbox.post(5)
        #expect(mailbox.isUrgent)
        mailbox.takeAll(into: &batch)
        #expect(!mailbox.isUrgent && batch == [1, 2, 3, 4, 5])
        mailbox.post(contentsOf: [6], isUrgent: true)
        #expect(mailbox.isUrgent)
    }
}
