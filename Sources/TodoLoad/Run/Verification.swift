import Todo

/// What the closing queries said.
struct Verification {
    /// The queries are asked again where the server moved on between them; so often at most.
    static let roundsMax = 50

    var tasks: [(version: Int64, objects: [Object])?]
    var project: [(version: Int64, objects: [Object])?]
    var unanswered = 0
    var round = 0
    /// When the next round may begin.
    var pause: Int64 = 0

    init(projects: Int) {
        tasks = Array(repeating: nil, count: projects)
        project = Array(repeating: nil, count: projects)
    }
}

/// Says in words where two lists differ first.
enum ListComparison {
    /// `nil` where they are equal.
    static func firstDifference(_ own: [Object], _ server: [Object]) -> String? {
        for place in 0..<min(own.count, server.count) where own[place] != server[place] {
            let (left, right) = (own[place], server[place])
            guard left.key == right.key else { return "row \(place) is \(left.key), but \(right.key) at the server" }
            for (field, spec) in left.className.schema.fields.enumerated() where left[field] != right[field] {
                return "\(spec.name) of row \(place), \(left.key), is \(left[field]), but \(right[field]) at the server"
            }
        }
        return own.count == server.count ? nil : "it has \(own.count) rows, but \(server.count) at the server"
    }
}
