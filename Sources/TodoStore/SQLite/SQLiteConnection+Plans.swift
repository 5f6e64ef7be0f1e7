import CSQLite
package import Todo

extension SQLiteConnection {
    /// How SQLite runs each statement that is prepared on this connection, by its text: one line a step, as `EXPLAIN QUERY PLAN` says it.
    ///
    /// For diagnosis, and for the tests that hold every statement to its index.
    package func plans() throws(StoreFailure) -> [String: [String]] {
        var texts: [String] = []
        var next = sqlite3_next_stmt(open, nil)
        while let statement = next {
            if let text = sqlite3_sql(statement) { texts.append(String(cString: text)) }
            next = sqlite3_next_stmt(open, statement)
        }
        var plans: [String: [String]] = [:]
        for text in texts {
            let explanation = try SQLiteStatement(self, "EXPLAIN QUERY PLAN \(text)")
            var steps: [String] = []
            while try explanation.step() { steps.append(explanation.text(3)) }
            plans[text] = steps
        }
        return plans
    }
}
