// What the server's data should be, as a value: zones, records with their tags, and who may do what. It
// knows only requests and what must come of them.

struct Model {
  struct Record: Equatable {
    var tag: String
    /// Values as texts.
    var fields: [String: String]
    /// Who made it and who changed it last, each with the device.
    var stamps: [String]
    var text: String { fields["text"] ?? "" }
  }

  enum Right: Equatable { case read, write }

  /// Why a zone is gone, other than that a device deleted it.
  enum Loss: String {
    /// Its user removed the app's data in the settings.
    case purged
    /// Its user reset encrypted data.
    case encryptedDataReset
  }

  /// Somebody whom a zone is shared with.
  struct Person: Equatable {
    var right: Right
    var hasAccepted = false
  }

  struct Zone {
    /// A zone that is made again is another one.
    var incarnation: Int64
    var records: [String: Record] = [:]
    /// Others than the owner, by their names: who is invited, and who takes part.
    var people: [String: Person] = [:]
    /// Another number after each change, of no other zone.
    var version: Int

    var tags: [String: String] { records.mapValues(\.tag) }
    /// Who takes part.
    var members: [String: Right] { people.filter(\.value.hasAccepted).mapValues(\.right) }
  }

  /// One operation of a request.
  struct Operation {
    let kind: String
    let zone: ZoneName
    let name: String
    let tag: String?
    /// What it says of fields; nil: the field is removed.
    let fields: [String: String?]
    /// For a share: who takes part, as the request has it; nil: it says nothing of it.
    let people: [String: Right]?
    let isShare: Bool

    var isDeletion: Bool { kind == "delete" || kind == "forceDelete" }
    var isCreation: Bool { kind == "create" }
    private var isReplacement: Bool { kind == "replace" || kind == "forceReplace" }

    /// The fields of a record after it.
    func applied(to known: Record?) -> [String: String] {
      var result = isReplacement ? [:] : known?.fields ?? [:]
      for (name, value) in fields { result[name] = value }
      return result
    }
  }

  /// What must come of an operation.
  enum Verdict: Equatable {
    case done
    /// A success that changes nothing: what it deletes is not there.
    case nothing
    /// With this code.
    case refused(String)
    /// A repeated one that is answered by what is there now.
    case either
  }

  /// A request that was carried out.
  struct Done {
    var tags: [Int: String?]
    var verdicts: [Verdict]
  }

  var zones: [ZoneName: Zone] = [:]
  /// Zones that no device deleted, and that were not made again.
  var losses: [ZoneName: Loss] = [:]
  /// Requests that were carried out, by their IDs: repeated, they change nothing.
  var repeatable: [String: Done] = [:]
  /// The same of requests for zones: which of their deletions found none.
  var repeatableZones: [String: Set<Int>] = [:]
  /// Those of requests for subscriptions.
  var repeatableSubscriptions: Set<String> = []
  private var lastVersion = 0

  mutating func nextVersion() -> Int {
    lastVersion += 1
    return lastVersion
  }

  mutating func set(_ name: String, in zone: ZoneName, to record: Record?) {
    let version = nextVersion()
    if zone.isDefault, zones[zone] == nil { zones[zone] = Zone(incarnation: 0, version: version) }
    zones[zone]?.records[name] = record
    zones[zone]?.version = version
  }

  func right(of user: String, in zone: ZoneName) -> Right? {
    if zone.owner == user { return zone.isDefault || zones[zone] != nil ? .write : nil }
    return zones[zone]?.members[user]
  }
}

// MARK: What must come of requests

extension Model {
  /// What becomes of a request's operations.
  func verdicts(on operations: [Operation], by user: String, isAtomic: Bool) -> [Verdict] {
    let each = operations.map { verdict(on: $0, by: user) }
    guard isAtomic else { return each }
    // All of a zone, or nothing.
    let failed = zip(operations, each).filter(\.1.isRefusal).map(\.0.zone)
    return zip(operations, each).map { operation, verdict in
      failed.contains(operation.zone) && !verdict.isRefusal ? .refused("ATOMIC_ERROR") : verdict
    }
  }

  /// What becomes of an operation by itself.
  private func verdict(on operation: Operation, by user: String) -> Verdict {
    guard let right = right(of: user, in: operation.zone) else { return .refused("ZONE_NOT_FOUND") }
    if operation.isShare, operation.zone.owner != user {
      // Who deletes the share leaves it.
      return operation.isDeletion ? .done : .refused("ACCESS_DENIED")
    }
    guard let known = zones[operation.zone]?.records[operation.name] else {
      if operation.isDeletion { return .nothing }
      if ["update", "replace"].contains(operation.kind) { return .refused("NOT_FOUND") }
      return right == .write ? .done : .refused("ACCESS_DENIED")
    }
    if operation.isCreation { return .refused("CONFLICT") }
    if right != .write { return .refused("ACCESS_DENIED") }
    return operation.mayChange(known) ? .done : .refused("CONFLICT")
  }
}

extension Model.Operation {
  /// Who takes part is always compared by tag.
  fileprivate func mayChange(_ known: Model.Record) -> Bool {
    switch kind {
    case "forceDelete": true
    case "forceUpdate", "forceReplace": people == nil || tag == known.tag
    case "delete": tag == nil || tag == known.tag
    default: tag == known.tag
    }
  }
}

extension Model.Verdict {
  var isRefusal: Bool { if case .refused = self { true } else { false } }
}
