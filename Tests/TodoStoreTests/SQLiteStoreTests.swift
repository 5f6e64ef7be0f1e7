import Foundation
import Testing
import Todo
import TodoStore

@Suite struct SQLiteStoreTests {
    @Test("The embedded store does what every store must", arguments: ConformanceCase.all)
    func conformance(_ conformance: ConformanceCase) throws {
        let store = try SQLiteStore.temporary()
        defer { store.close() }
        try conformance.run(store)
    }
}
