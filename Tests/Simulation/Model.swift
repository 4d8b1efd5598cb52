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
  private func isDone(_ operation: Operation, by user: String, in zone: ZoneName) -> Bool? {
    if operation.isShare { return nil }
    guard let content = zones[zone] else { return false }
    guard right(of: user, in: zone) == .write else { return false }
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

  /// Which of a request's operations are carried out; nil: the model does not know.
  func done(
    _ operations: [Operation], by user: String, in zone: ZoneName, isAtomic: Bool
  ) -> [Bool?] {
    let each = operations.map { isDone($0, by: user, in: zone) }
    guard isAtomic else { return each }
    // To delete what is not there is a success that changes nothing.
    let harmless = zip(operations, each).allSatisfy {
      $1 != false || ($0.kind == "forceDelete" && zones[zone]?.records[$0.name] == nil)
    }
    if harmless { return each }
    return each.map { $0 == nil ? nil : false }
  }
}
