// records/lookup: records by name. What the caller may not see does not exist for him.

package import BrumeModel
import BrumeSchema
import BrumeStorage

extension Engine {
  /// Fetches records by name. The answer has one result per item, in order.
  package func lookupRecords(
    _ request: LookupRecordsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [RecordResult] {
    try caller.requireAccess(to: scope)
    let maximum = limits.operationsPerRequest
    if request.items.count > maximum {
      throw BrumeError(
        .limitExceeded,
        "the request asks for \(request.items.count) records; the maximum is \(maximum). Split it")
    }
    let (limits, schemas) = (limits, schemas)
    return try await store.read { transaction in
      var lookup = RecordLookup(
        transaction: transaction, scope: scope, caller: caller, limits: limits,
        schema: try schemas.schema(of: caller.container, caller.environment, in: transaction))
      return try request.items.map { item in
        try lookup.result(item.name, in: item.zone ?? request.zone)
      }
    }
  }
}

/// Looks records up in one transaction, remembering the zones it saw.
private struct RecordLookup {
  let transaction: any ReadTransaction
  let scope: DatabaseScope
  let caller: Caller
  let limits: Limits
  let schema: Schema
  private var views: [ZoneKey: ZoneView] = [:]
  private var coverages: [ZoneKey: Coverage] = [:]

  init(
    transaction: any ReadTransaction, scope: DatabaseScope, caller: Caller, limits: Limits,
    schema: Schema
  ) {
    self.transaction = transaction
    self.scope = scope
    self.caller = caller
    self.limits = limits
    self.schema = schema
  }

  mutating func result(_ name: String, in zone: ZoneID?) throws -> RecordResult {
    do {
      let key = try caller.zoneKey(zone, in: scope, limits: limits)
      let view = try view(of: key)
      let wanted = key.isDefault ? caller.naming(name) : name
      return .success(.saved(try found(wanted, view)))
    } catch let error as BrumeError {
      let shown = zone ?? ZoneID(name: ZoneID.defaultName)
      return .failure(ItemFailure(RecordID(name: name, zone: shown), error))
    }
  }

  private mutating func view(of key: ZoneKey) throws -> ZoneView {
    if let known = views[key] { return known }
    let view = try transaction.zoneView(key, in: scope, for: caller)
    views[key] = view
    return view
  }

  private mutating func found(_ name: String, _ view: ZoneView) throws -> StoredRecord {
    let zone = view.zone.key
    var coverage = try coverages[zone] ?? transaction.coverage(in: zone, limits: limits)
    let stored =
      try transaction.record(name, in: view, coverage: &coverage)
      ?? transaction.untouchedUser(RecordKey(zone: zone, name: name)).map { user in
        StoredRecord(name: name, type: user.type, sequence: 0, content: .value(user))
      }
    coverages[zone] = coverage
    guard let stored else { throw BrumeError(.notFound, "Record not found: '\(name)'") }
    if scope == .public {
      let creator = try stored.record().created?.user
      let place = Permissions.Place.public(schema.rights(of: stored.type))
      if let error = Permissions.decide(caller.principal, .read, in: place, creator: creator) {
        throw error
      }
    }
    return stored
  }
}
