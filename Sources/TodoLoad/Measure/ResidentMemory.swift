/// How much memory processes occupy.
enum ResidentMemory {
    /// Another process of this machine, in bytes; `nil` where the system does not tell.
    static func of(process: Int32) -> Int? {
        // Unlike statm, whose counters lag behind by some pages a core, this one is counted when it is read.
        guard let text = ProcessFile.read("/proc/\(process)/smaps_rollup", bytesMax: 4096) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix("Rss:") {
            return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
        }
        return nil
    }
}
