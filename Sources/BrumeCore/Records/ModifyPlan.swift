// A request for changes of records, cut into what one transaction can hold.

import BrumeModel
import BrumeStorage

/// A request cut into what one transaction can hold: the operations on one database, zone by zone.
struct ModifyPlan: Sendable {
  struct Part: Sendable {
    let database: DatabaseKey
    var zones: [(zone: ZoneKey, items: [RecordItem])]
    /// The database, and the rows of assets if a record brings one.
    var scope: WriteScope {
      let bringsAssets = zones.contains { $0.items.contains(where: \.bringsAssets) }
      return bringsAssets ? .database(database).and(.server) : .database(database)
    }

    /// Its answers where one reason keeps all of it from being written.
    func failing(with error: BrumeError) -> [Int: RecordResult] {
      var answers: [Int: RecordResult] = [:]
      for item in zones.flatMap(\.items) {
        answers[item.index] = RecordResult.failure(ItemFailure(item.id, error))
      }
      return answers
    }
  }
  private(set) var parts: [Part] = []
  /// Where in `parts` a database is, and where in its part a zone.
  private var databases: [DatabaseKey: Int] = [:]
  private var zones: [ZoneKey: Int] = [:]
  /// Operations that name nothing that could exist.
  private(set) var failures: [Int: ItemFailure<RecordID>] = [:]

  /// Refuses what is wrong with the request as a whole (cases SAV-14 to SAV-16).
  init(
    _ request: ModifyRecordsRequest, in scope: DatabaseScope, as caller: Caller, limits: Limits,
    host: Host
  ) throws(BrumeError) {
    // The framework's batches are larger than those of web clients; an `operationID` identifies them.
    let maximum =
      request.operationID == nil
      ? limits.operationsPerRequest : max(limits.operationsPerRequest, limits.itemsPerOperation)
    try limits.checkCount(request.operations.count, of: "operations", upTo: maximum)
    try Self.checkRows(of: request.operations, limits)
    let tooLong = try RequestWords.flaws(of: request.operations, limits)
    var seen: Set<RecordKey> = []
    for (index, operation) in request.operations.enumerated() {
      let zone = operation.record.zone ?? request.zone
      let name = try Self.name(of: operation, at: index, host: host)
      let key: RecordKey
      do throws(BrumeError) {
        key = RecordKey(
          zone: try caller.zoneKey(zone, in: scope, limits: limits), name: name)
      } catch {
        let id = RecordID(name: name, zone: zone ?? ZoneID(name: ZoneID.defaultName))
        failures[index] = ItemFailure(id, error)
        continue
      }
      guard seen.insert(key).inserted else {
        throw BrumeError(
          .badRequest,
          "record '\(name)' of zone '\(key.zone.name)' is in the request twice; save or delete a "
            + "record once in a request")
      }
      var item = Self.item(operation, at: index, key: key, host: host, limits: limits)
      item.flaw = Self.flaw(of: key, limits) ?? tooLong[index]
      add(item)
    }
  }

  /// Bounds what a request may bring that becomes a row of an index each.
  private static func checkRows(
    of operations: [RecordOperation], _ limits: Limits
  ) throws(BrumeError) {
    var elements = 0
    var references = 0
    for operation in operations {
      for case let value? in operation.record.fields.values.map(\.value) {
        elements += value.listElements
        references += value.references.count
      }
    }
    if elements > limits.listElementsPerRequest {
      throw BrumeError(
        .limitExceeded,
        "the lists of the request have \(elements) elements; the maximum is "
          + "\(limits.listElementsPerRequest). Split it, or keep long lists in assets")
    }
    if references > limits.referencesPerRequest {
      throw BrumeError(
        .limitExceeded,
        "the records of the request hold \(references) references; the maximum is "
          + "\(limits.referencesPerRequest). Split it")
    }
  }

  private static func flaw(of key: RecordKey, _ limits: Limits) -> BrumeError? {
    do throws(BrumeError) {
      if !key.mayBeUser { try NameRules.recordName(key.name, limits: limits) }
      return nil
    } catch {
      return error
    }
  }

  private mutating func add(_ item: RecordItem) {
    let zone = item.key.zone
    let part = databases[zone.database] ?? parts.count
    if part == parts.count { parts.append(Part(database: zone.database, zones: [])) }
    databases[zone.database] = part
    if let index = zones[zone] {
      parts[part].zones[index].items.append(item)
    } else {
      zones[zone] = parts[part].zones.count
      parts[part].zones.append((zone, [item]))
    }
  }

  private static func name(
    of operation: RecordOperation, at index: Int, host: Host
  ) throws(BrumeError) -> String {
    if let name = operation.record.name { return name }
    guard operation.kind == .create else {
      throw BrumeError(
        .badRequest,
        "operation \(index) (\(operation.kind.rawValue)) names no record; give its 'recordName'")
    }
    let isShare = operation.record.type == Record.shareType
    return (isShare ? "Share-" : "") + host.uuid()
  }

  private static func item(
    _ operation: RecordOperation, at index: Int, key: RecordKey, host: Host, limits: Limits
  ) -> RecordItem {
    let draft = operation.record
    let isShare = draft.type == Record.shareType || key.name == Record.zoneShareName
    // One for the owner, and two for each other: an ID and the secret of a one-time URL.
    let count = isShare ? 2 * min(draft.participants?.count ?? 0, limits.participants) + 1 : 0
    return RecordItem(
      index: index, kind: operation.kind, key: key, draft: draft,
      shortGUID: isShare || draft.createShortGUID ? ShortGUID.make(host) : "",
      participantIDs: (0..<count).map { _ in host.uuid() })
  }
}
