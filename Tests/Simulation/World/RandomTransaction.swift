import TestSupport
import Todo
import TodoProtocol

/// Makes transactions of every kind of change, of which most can succeed.
enum RandomTransaction {
    /// One to four changes, now and then of a kind that has to meet in one transaction.
    static func make(_ cast: Cast, user: String, _ random: inout SplitMix) -> [ChangeSpec] {
        if random.next(upTo: 12) == 0 { return recreation(cast, &random) }
        return (0..<(1 + random.next(upTo: random.next(upTo: 3) == 0 ? 4 : 1))).map { _ in change(cast, user: user, &random) }
    }

    /// A key that is deleted and created again.
    private static func recreation(_ cast: Cast, _ random: inout SplitMix) -> [ChangeSpec] {
        let project = cast.project(&random)
        if random.next(upTo: 3) == 0 {
            return [
                .delete(.project, id: project),
                .create(.project, [("projectId", .string(project)), ("name", .string("again"))]),
                .upsert(.item, item(cast, project: project, &random)),
            ]
        }
        let key = cast.item(&random)
        return [
            .delete(.item, id: key),
            .create(.item, [("itemId", .string(key)), ("projectId", .string(project)), ("body", .string(cast.word(&random)))]),
        ]
    }

    private static func item(_ cast: Cast, project: String? = nil, _ random: inout SplitMix) -> ChangeSpec.Fields {
        var fields: ChangeSpec.Fields = [
            ("itemId", .string(cast.item(&random))), ("projectId", .string(project ?? cast.project(&random))),
            ("body", .string(cast.word(&random))),
        ]
        if Bool.random(using: &random) { fields.append(("priority", .integer(Int64(random.next(upTo: 4))))) }
        if random.next(upTo: 3) == 0 { fields.append(("isDone", .boolean(Bool.random(using: &random)))) }
        if random.next(upTo: 3) == 0 { fields.append(("dueDate", date(cast, &random))) }
        if random.next(upTo: 4) == 0 { fields.append(("notes", .string(cast.word(&random)))) }
        return fields
    }

    private static func date(_ cast: Cast, _ random: inout SplitMix) -> Value {
        random.next(upTo: 4) == 0 ? .null : .date(cast.date(&random))
    }

    private static func name(_ cast: Cast, _ random: inout SplitMix) -> Value {
        let word = cast.word(&random)
        return .string(word.isEmpty ? "name" : word)
    }

    private static func role(_ random: inout SplitMix) -> Value { .string(["viewer", "editor", "owner"][random.next(upTo: 3)]) }

    private static func access(_ random: inout SplitMix) -> Value {
        .string(["private", "private", "everyone-read", "everyone-write"][random.next(upTo: 4)])
    }

    private static func change(_ cast: Cast, user: String, _ random: inout SplitMix) -> ChangeSpec {
        let project = cast.project(&random)
        switch random.next(upTo: 30) {
        case 0, 1:
            var fields: ChangeSpec.Fields = [("projectId", .string(project)), ("name", name(cast, &random))]
            if Bool.random(using: &random) { fields.append(("access", access(&random))) }
            return .upsert(.project, fields)
        case 2: return .update(.project, id: project, set: [("access", access(&random))])
        case 3: return .update(.project, id: project, set: [("name", name(cast, &random))])
        case 4 where random.next(upTo: 3) == 0: return .delete(.project, id: project)
        case 5, 6:
            return .upsert(
                .permission, [("projectId", .string(project)), ("userId", .string(cast.user(&random))), ("role", role(&random))])
        case 7:
            return .update(.permission, id: project + ":" + cast.user(&random), set: [("role", role(&random))])
        case 8: return .delete(.permission, id: project + ":" + (Bool.random(using: &random) ? user : cast.user(&random)))
        case 9...14: return .upsert(.item, item(cast, &random))
        case 28, 29: return matching(cast, user: user, &random)
        default: return itemChange(cast, user: user, &random)
        }
    }

    private static func itemChange(_ cast: Cast, user: String, _ random: inout SplitMix) -> ChangeSpec {
        let key = cast.item(&random)
        switch random.next(upTo: 12) {
        case 0, 1: return .update(.item, id: key, set: [("isDone", .boolean(Bool.random(using: &random)))])
        case 2: return .update(.item, id: key, set: [("projectId", .string(cast.project(&random)))])
        case 3: return .delete(.item, id: key)
        case 4: return .move(id: key, to: Bool.random(using: &random) ? .start : .end)
        case 5, 6:
            let other = cast.item(&random)
            return .move(id: key, to: Bool.random(using: &random) ? .before(other) : .after(other))
        case 7: return .update(.item, id: key, set: [("dueDate", date(cast, &random))])
        case 8:
            return .update(.item, id: key, set: [("assignee", random.next(upTo: 3) == 0 ? .null : .string(cast.user(&random)))])
        case 9:
            return .update(
                .item, id: key, set: [("body", .string(cast.word(&random)))],
                condition: [("priority", .integer(Int64(random.next(upTo: 2))))])
        case 10: return .delete(.item, id: key, condition: [("isDone", .boolean(Bool.random(using: &random)))])
        default:
            return .update(
                .item, id: key, set: [("body", .string(cast.word(&random))), ("priority", .integer(Int64(random.next(upTo: 4))))])
        }
    }

    private static func matching(_ cast: Cast, user: String, _ random: inout SplitMix) -> ChangeSpec {
        let formula = RandomFormula.make(.item, cast, user: user, &random)
        let (filter, args) = FormulaText.write(formula, on: .item, user: user, &random)
        switch random.next(upTo: 5) {
        case 0: return .deleteMatching(.item, filter: filter, args: args)
        case 1: return .updateMatching(.item, filter: filter, args: args, set: [("isDone", .boolean(Bool.random(using: &random)))])
        case 2: return .updateMatching(.item, filter: filter, args: args, set: [("projectId", .string(cast.project(&random)))])
        case 3: return .updateMatching(.project, filter: "TRUEPREDICATE", args: [], set: [("name", name(cast, &random))])
        default: return .updateMatching(.item, filter: filter, args: args, set: [("priority", .integer(Int64(random.next(upTo: 4))))])
        }
    }
}
