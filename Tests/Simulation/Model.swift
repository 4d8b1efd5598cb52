// What the server's data should be, as a value: zones, records with their tags, and who may do what. It
// knows only requests and what must come of them.

struct Model {
  struct Record: Equatable {
    var tag: String
    var text: String
  }

  enum Right: Equatable { case read, write }

  struct Zone {
    var records: [String: Record] = [:]
    /// Others than the owner, by their names.
    var members: [String: Right] = [:]
    /// Another number after each change.
    var version = 0

    var tags: [String: String] { records.mapValues(\.tag) }
  }

  /// One operation of a request.
  struct Operation {
    let kind: String
    let zone: ZoneName
    let name: String
    let tag: String?
    /// Nil: it does not concern the text.
    let text: String?
    let isShare: Bool
  }

  var zones: [ZoneName: Zone] = [:]
  /// Requests that were carried out, by their IDs: repeated, they change nothing.
  var repeatable: [String: [Int: String?]] = [:]

  func right(of user: String, in zone: ZoneName) -> Right? {
    if zone.owner == user { return .write }
    return zones[zone]?.members[user]
  }

  /// Whether an operation by itself is carried out; nil: the model does not know.
  private func isDone(_ operation: Operation, by user: String) -> Bool? {
    if operation.isShare { return nil }
    guard let content = zones[operation.zone], right(of: user, in: operation.zone) == .write else {
      return false
    }
    let known = content.records[operation.name]
    switch operation.kind {
    case "create": return known == nil
    case "update", "replace": return known != nil && known?.tag == operation.tag
    case "forceUpdate", "forceReplace": return true
    case "delete": return known != nil && (operation.tag == nil || operation.tag == known?.tag)
    case "forceDelete": return known != nil
    default: return nil
    }
  }

  /// To delete what is not there is a success that changes nothing.
  private func isHarmless(_ operation: Operation) -> Bool {
    operation.kind == "forceDelete" && zones[operation.zone]?.records[operation.name] == nil
  }

  /// Which of a request's operations are carried out; nil: the model does not know.
  func done(_ operations: [Operation], by user: String, isAtomic: Bool) -> [Bool?] {
    let each = operations.map { isDone($0, by: user) }
    guard isAtomic else { return each }
    // All of a zone, or nothing.
    let failed = zip(operations, each).filter { $1 == false && !isHarmless($0) }.map(\.0.zone)
    return zip(operations, each).map { operation, done in
      done == true && failed.contains(operation.zone) ? false : done
    }
  }
}
