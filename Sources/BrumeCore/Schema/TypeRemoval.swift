// The removal deletes every record of record types that leave a schema, so that none comes back with a type of
// the same name. Each is deleted as its owner would do it: with a line in the change feed, and pushes.

import BrumeModel
import BrumeStorage

struct TypeRemoval: Sendable {
  private let store: any Store
  private let records: Records
  private let limits: Limits
  private let host: Host

  init(_ parts: EngineParts) {
    store = parts.store
    records = Records(parts)
    limits = parts.limits
    host = parts.host
  }

  /// May take long: a transaction for each page of records, and more where records keep each other.
  ///
  /// - Throws: `validatingReferenceError` if records of other types keep one from being deleted; what else keeps one.
  func removeRecords(
    of types: [String], in containerEnvironment: ContainerEnvironment
  ) async throws {
    // Shares are no schema's to remove.
    let types = types.filter { $0 != Record.shareType }
    if types.isEmpty { return }
    let databases = try await store.read { try $0.zones.databases(in: containerEnvironment) }
    for database in databases { try await removeRecords(of: types, in: database) }
  }

  /// What went in a round, and what has to wait for the next one.
  private struct Round {
    var removed = 0
    var waiting: [String] = []
    var kept: (key: RecordKey, error: BrumeError)?
  }

  /// In rounds: what keeps a record may be of a type that comes later, or on a later page.
  private func removeRecords(of types: [String], in database: DatabaseKey) async throws {
    var waiting = types
    while !waiting.isEmpty {
      var round = Round()
      for type in waiting { try await removeRecords(of: type, in: database, &round) }
      if round.removed == 0, let kept = round.kept {
        throw try await keeper(of: kept.key, outside: types)?.error ?? kept.error
      }
      waiting = round.waiting
    }
  }

  private func removeRecords(
    of type: String, in database: DatabaseKey, _ round: inout Round
  ) async throws {
    var next: QueryPosition?
    var isWhole = true
    repeat {
      let request = EngineQuery(
        database: database, zone: nil, query: Query(recordType: type), after: next,
        limit: limits.operationsPerRequest, candidateLimit: limits.candidatesPerPage,
        byteLimit: limits.answerBytes)
      let page = try await store.read { try $0.queries.matching(request) }
      let found = try page.records.map { try $0.record() }
      for (zone, records) in Dictionary(grouping: found, by: \.zone) {
        let zone = ZoneKey(database: database, name: zone.name)
        if try await !remove(records.map(\.name), in: zone, &round) { isWhole = false }
      }
      next = page.next
    } while next != nil
    if !isWhole { round.waiting.append(type) }
  }

  /// - Returns: whether all went.
  private func remove(
    _ names: [String], in zone: ZoneKey, _ round: inout Round
  ) async throws -> Bool {
    var isWhole = true
    for (name, result) in zip(names, try await delete(names, in: zone)) {
      guard case .failure(let failure) = result else {
        round.removed += 1
        continue
      }
      guard Self.mayGoLater(failure.error) else { throw failure.error }
      isWhole = false
      if round.kept == nil { round.kept = (RecordKey(zone: zone, name: name), failure.error) }
    }
    return isWhole
  }

  /// Once those are gone that need the record, or some of the many that would go with it.
  private static func mayGoLater(_ error: BrumeError) -> Bool {
    error.code == .validatingReferenceError || error.code == .limitExceeded
  }

  private func delete(_ names: [String], in zone: ZoneKey) async throws -> [RecordResult] {
    let database = zone.database
    // In the public database nobody is the owner; the name stands in the log as who did it.
    let caller = Caller(
      in: database.containerEnvironment,
      user: database.owner ?? UserID(UserID.publicOwnerName), device: nil, kind: .operator,
      requestID: host.uuid())
    let request = ModifyRecordsRequest(
      zone: database.owner == nil ? nil : ZoneID(name: zone.name),
      operations: names.map { RecordOperation(.forceDelete, RecordDraft(name: $0)) })
    return try await records.modify(
      request, in: database.owner == nil ? .public : .private, as: caller)
  }
}

// MARK: What keeps a record

extension TypeRemoval {
  /// A record of a type that stays, and the one of a removed type that cannot go without it.
  private struct Keeper: Sendable {
    let record: Record
    let isChild: Bool
    let kept: Record
    let owner: UserID?

    var error: BrumeError {
      let zone = owner.map { "zone '\(kept.zone.name)' of user '\($0.name)'" }
      let place = zone ?? "the public database"
      let link = isChild ? "has it as its parent" : "refers to it with action VALIDATE"
      return BrumeError(
        .validatingReferenceError,
        "record type '\(kept.type)' cannot go: record '\(kept.name)' in \(place) is kept by record "
          + "'\(record.name)' of type '\(record.type)', which \(link); delete that one, or let its "
          + "type go too")
    }
  }

  /// From one record that needs another to the next, until one is of a type that stays.
  private func keeper(of key: RecordKey, outside types: [String]) async throws -> Keeper? {
    let steps = limits.parentChain
    return try await store.read { transaction in
      var key = key
      for _ in 0..<steps {
        guard let kept = try transaction.records.find(key)?.record(),
          let (name, isChild) = try transaction.records.need(of: key)
        else { return nil }
        key = RecordKey(zone: key.zone, name: name)
        guard let record = try transaction.records.find(key)?.record() else { return nil }
        if !types.contains(record.type) {
          return Keeper(
            record: record, isChild: isChild, kept: kept, owner: key.zone.database.owner)
        }
      }
      return nil
    }
  }
}

extension RecordReading {
  /// A record that has to go before another one can.
  fileprivate func need(of key: RecordKey) throws -> (name: String, isChild: Bool)? {
    if let child = try children(of: key, limit: 1).first { return (child, true) }
    return try referrers(to: key, by: .validate, limit: 1).first.map { ($0, false) }
  }
}
