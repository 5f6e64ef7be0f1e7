import Foundation

/// Folders for the stores of simulations: in memory where the system has such a place, for a schedule commits hundreds of times.
enum SimulationFolder {
    static func make() throws -> String {
        let memory = "/dev/shm"
        let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        let path = parent + "/todosync-simulation-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }
}
