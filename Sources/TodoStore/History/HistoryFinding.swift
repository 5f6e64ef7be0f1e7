/// What opening a store found out about its history.
public enum HistoryFinding: Sendable, Equatable {
    /// It goes on: clients resume from where they stood.
    case same
    /// The folder, or the database in it, is a copy: a new history has begun.
    case copied
    /// A new history has begun because that was asked for.
    case renewed
    /// The folder can't be marked, for that reason: the epoch holds for this run only, since a copy could not be told from the original later.
    case unmarked(String)

    /// A sentence for the log; `nil` where there is nothing to say.
    public var notice: String? {
        switch self {
        case .same: nil
        case .copied: "the data folder was copied or restored from a copy: lists that clients hold are sent anew"
        case .renewed: "a new history has begun, as was asked for: lists that clients hold are sent anew"
        case .unmarked(let reason):
            "a restored copy of the data folder could not be told from the original later, so lists that clients hold are sent anew: \(reason)"
        }
    }
}
