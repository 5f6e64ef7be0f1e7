import TestSupport
import Todo

/// Makes formulas over the whole predicate language, with values that occur in the world often enough.
enum RandomFormula {
    /// A formula on objects of that class.
    static func make(_ className: ClassName, _ cast: Cast, user: String, _ random: inout SplitMix) -> Formula {
        var maker = Maker(className: className, cast: cast, user: user)
        return maker.formula(depth: 3, &random)
    }

    private struct Maker {
        let className: ClassName
        let cast: Cast
        let user: String

        mutating func formula(depth: Int, _ random: inout SplitMix) -> Formula {
            switch depth == 0 ? 99 : random.next(upTo: 12) {
            case 0, 1: .and(formula(depth: depth - 1, &random), formula(depth: depth - 1, &random))
            case 2, 3: .or(formula(depth: depth - 1, &random), formula(depth: depth - 1, &random))
            case 4: .not(formula(depth: depth - 1, &random))
            case 5 where depth < 3: .constant(Bool.random(using: &random))
            default: .comparison(comparison(&random))
            }
        }

        /// A third of the time what lists are filed by: values that a field must have.
        private func comparison(_ random: inout SplitMix) -> Formula.Comparison {
            if random.next(upTo: 3) == 0 { return fixing(&random) }
            let left = left(&random)
            let (type, isOptional, name) = field(of: left)
            let test = tests(of: type).randomElement(using: &random) ?? .equal
            let count =
                switch test {
                case .among: random.next(upTo: 4)
                case .between: 2
                default: 1
                }
            let values = (0..<count).map { _ in value(type, name, isNullable: isOptional || random.next(upTo: 20) == 0, &random) }
            var comparison = Formula.Comparison(left: left, test: test, right: values)
            if Self.isText(type) {
                comparison.foldsCase = random.next(upTo: 3) == 0
                comparison.dropsMarks = random.next(upTo: 4) == 0
            }
            return comparison
        }

        private func fixing(_ random: inout SplitMix) -> Formula.Comparison {
            let names =
                switch className {
                case .project: ["projectId", "owner", "name", "access"]
                case .item: ["projectId", "projectId", "itemId", "createdBy", "assignee", "body", "isDone", "priority", "dueDate"]
                case .permission: ["projectId", "permissionId", "userId", "role"]
                case .user: ["userId", "name"]
                case .presence: ["projectId"]
                }
            let name = names[random.next(upTo: names.count)]
            let place = className.schema.place(of: name) ?? 0
            let (type, isOptional) = (className.schema.fields[place].type, className.schema.fields[place].isOptional)
            let isList = random.next(upTo: 3) == 0
            let values = (0..<(isList ? 1 + random.next(upTo: 3) : 1)).map { _ in value(type, name, isNullable: isOptional, &random) }
            var comparison = Formula.Comparison(left: .field(place), test: isList ? .among : .equal, right: values)
            if Self.isText(type) {
                comparison.foldsCase = random.next(upTo: 4) == 0
                comparison.dropsMarks = random.next(upTo: 6) == 0
            }
            return comparison
        }

        private func left(_ random: inout SplitMix) -> Formula.Left {
            switch (className, random.next(upTo: 6)) {
            case (.item, 0): .project(Self.place(.project, &random))
            case (.project, 0): .itemCount
            case (.project, 1), (.project, 2):
                .items(Formula.Quantifier.allCases[random.next(upTo: 3)], Self.place(.item, &random))
            default: .field(Self.place(className, &random))
            }
        }

        private static func place(_ className: ClassName, _ random: inout SplitMix) -> Int {
            let places = (0..<className.schema.shownCount).filter { className.schema.fields[$0].type != .strings }
            return places[random.next(upTo: places.count)]
        }

        private func field(of left: Formula.Left) -> (type: FieldType, isOptional: Bool, name: String) {
            let field =
                switch left {
                case .field(let place): className.schema.fields[place]
                case .project(let place): Schema.project.fields[place]
                case .itemCount: Schema.project.fields[ProjectField.itemCount]
                case .items(_, let place): Schema.item.fields[place]
                }
            return (field.type, field.isOptional, field.name)
        }

        private static func isText(_ type: FieldType) -> Bool {
            switch type {
            case .boolean, .integer, .date, .strings: false
            default: true
            }
        }

        private func tests(of type: FieldType) -> [Formula.Test] {
            switch type {
            case .boolean: [.equal, .notEqual, .among]
            case .integer, .date: [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .among, .between]
            default: Formula.Test.allCases
            }
        }

        private func value(_ type: FieldType, _ name: String, isNullable: Bool, _ random: inout SplitMix) -> Value {
            if isNullable, random.next(upTo: 4) == 0 { return .null }
            switch type {
            case .boolean: return .boolean(Bool.random(using: &random))
            case .integer:
                return random.next(upTo: 4) == 0 ? .double(Double(random.next(upTo: 8)) + 0.5) : .integer(Int64(random.next(upTo: 5)))
            case .date: return .date(cast.date(&random))
            case .word(let words): return .string(words[random.next(upTo: words.count)])
            default: return .string(text(name, &random))
            }
        }

        private func text(_ name: String, _ random: inout SplitMix) -> String {
            switch name {
            case "itemId": cast.item(&random)
            case "projectId": cast.project(&random)
            case "permissionId": cast.project(&random) + ":" + cast.user(&random)
            case "userId", "owner", "createdBy", "assignee": random.next(upTo: 2) == 0 ? user : cast.user(&random)
            case "position": "V000" + "\(random.next(upTo: 9))"
            case "body", "name", "notes":
                random.next(upTo: 8) == 0 ? ["*", "?", "*a*", "?*", "*é", "s*e"][random.next(upTo: 6)] : cast.word(&random)
            default: cast.word(&random)
            }
        }
    }
}
