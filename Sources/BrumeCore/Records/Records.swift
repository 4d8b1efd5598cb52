// records/modify and records/lookup. Modifying cuts a request into transactions and puts the answers back in order. One database
// is one transaction; inside it each zone stands or falls by itself (case ATM-03).

package import BrumeModel
import BrumeStorage

/// Saving, deleting and fetching records by name.
package struct Records: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let seal: Seal
  private let schemas: SchemaCache
  private let waiting: WaitingCascades
  private let refusals: StoreRefusals

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    seal = parts.seal
    schemas = parts.schemas
    waiting = WaitingCascades(parts.limits)
    refusals = parts.refusals
  }

  /// Saves and deletes records. The answer has one result per operation, in order.
  ///
  /// - Throws: `badRequest` if a record is in it twice or the client's data is too long, `limitExceeded` for
  ///   too many operations, list elements or references; `tryAgainLater` if it deletes much and others that do are under
  ///   way. Nothing is saved then. If the request is about several databases, each is a transaction of its own, and what is
  ///   refused as a whole in another than the first fails by its items.
  package func modify(
    _ request: ModifyRecordsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [RecordResult] {
    try caller.requireAccess(to: scope)
    let context = ModifyContext(
      caller: caller, user: try caller.requireUser(), scope: scope, now: host.now(),
      limits: limits, isAtomic: request.atomic ?? false, seal: seal)
    try ClientData.check(request.clientData, limits)
    let plan = try ModifyPlan(request, in: scope, as: caller, limits: limits, host: host)
    var results = plan.failures.mapValues { RecordResult.failure($0) }
    let joined = try await store.joinedZones(of: caller, in: scope)
    for (number, part) in plan.parts.enumerated() {
      let memory = OperationMemory(
        request.operationID, in: part.database, scope, as: caller, limits: limits)
      let reads = part.reads(
        context, memory, bringsClientData: request.clientData != nil, among: joined)
      do {
        let answers = try await carryOut(part, context, memory, request.clientData, reads)
        results.merge(answers) { first, _ in first }
      } catch let error where number > 0 {
        // What was asked of the first is done, and nobody could know that from an error of the whole request.
        guard let refusal = refusals.answer(to: error, for: caller) else { throw error }
        results.merge(part.failing(with: refusal)) { first, _ in first }
      }
    }
    return request.operations.indices.compactMap { results[$0] }
  }

  /// Each try that writes nothing says something of zones that the next one knows.
  private func carryOut(
    _ part: ModifyPlan.Part, _ context: ModifyContext, _ memory: OperationMemory?,
    _ clientData: [UInt8]?, _ reads: ReadPlan
  ) async throws -> [Int: RecordResult] {
    var earlier = EarlierTries()
    while true {
      do {
        return try await write(part, context, memory, clientData, reads, after: earlier)
      } catch let large as LargeCascades {
        let found = try await read(large, context)
        try earlier.take(found, in: waiting, of: context.user)
      } catch let unfinished as UnfinishedWrite {
        earlier.failures[unfinished.zone] = unfinished.error
      }
    }
  }

  /// - Throws: `LargeCascades`, of zones of which nothing was found before, and `UnfinishedWrite`, once for a zone; nothing
  ///   is written then.
  private func write(
    _ part: ModifyPlan.Part, _ context: ModifyContext, _ memory: OperationMemory?,
    _ clientData: [UInt8]?, _ reads: ReadPlan, after earlier: EarlierTries
  ) async throws -> [Int: RecordResult] {
    let (schemas, caller) = (schemas, context.caller)
    let writes = part.scope.asked(by: context.user)
    return try await store.write(for: caller, in: writes, reading: reads) { transaction in
      if let known = try memory?.recall(part, context, schemas, in: transaction) { return known }
      let answers = try Self.run(part, context, schemas, transaction, after: earlier)
      try ClientData.keep(clientData, of: part, answers, context, in: transaction)
      try memory?.keep(answers, in: transaction, now: context.now)
      return answers
    }
  }

  private func read(
    _ large: LargeCascades, _ context: ModifyContext
  ) async throws -> [ZoneKey: FoundCascade] {
    let schemas = schemas
    return try await store.read { transaction in
      var found: [ZoneKey: FoundCascade] = [:]
      var before = CascadeSize()
      for zone in large.zones {
        found[zone.zone] = try FoundCascade(
          of: zone, behind: &before, context, schemas, transaction)
      }
      return found
    }
  }

  /// One database's part, in its transaction. It gives up once, when all zones were looked at.
  private static func run(
    _ part: ModifyPlan.Part, _ context: ModifyContext, _ schemas: SchemaCache,
    _ transaction: any WriteTransaction, after earlier: EarlierTries
  ) throws -> [Int: RecordResult] {
    var schema = try schemas.justInTime(
      for: part.database, in: transaction, limits: context.limits)
    var answers: [Int: RecordResult] = [:]
    var answerBytes = 0
    var gone = CascadeSize()
    var large: [LargeCascade] = []
    var joined = JoinedShares()
    for (zone, items) in part.zones {
      let results: [RecordResult]
      do {
        if let error = earlier.failures[zone] { throw error }
        var batch = try ZoneBatch(
          items, in: zone, schema: schema, context: context, among: &joined,
          transaction: transaction, answerBytes: answerBytes, found: earlier.found[zone])
        results = try batch.run(behind: &gone)
        answerBytes = batch.answerBytes
        schema = batch.schema
      } catch let zone as LargeCascade {
        large.append(zone)
        continue
      } catch let error as BrumeError {
        results = items.map { .failure(ItemFailure($0.id, error)) }
      }
      for (item, result) in zip(items, results) { answers[item.index] = result }
    }
    if !large.isEmpty { throw LargeCascades(zones: large) }
    try schemas.save(schema, for: part.database, in: transaction)
    return answers
  }

  /// Fetches records by name. The answer has one result per item, in order.
  ///
  /// - Throws: `limitExceeded` for too many items.
  package func lookup(
    _ request: LookupRecordsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [RecordResult] {
    try caller.requireAccess(to: scope)
    try limits.checkCount(request.items.count, of: "records")
    let (limits, schemas) = (limits, schemas)
    let joined = try await store.joinedZones(of: caller, in: scope)
    let reads = RecordLookup.reads(request, in: scope, as: caller, among: joined, limits)
    return try await store.read(reads) { transaction in
      let schema = try schemas.schema(of: caller.containerEnvironment, in: transaction)
      var lookup = RecordLookup(
        access: RecordAccess(transaction, scope, caller, limits, schema))
      return try request.items.map { item in
        try Task.checkCancellation()
        return try lookup.result(item.name, in: item.zone ?? request.zone)
      }
    }
  }
}

/// What tries of a write found of its zones before they ended.
private struct EarlierTries {
  /// What deletions take along.
  var found: [ZoneKey: FoundCascade] = [:]
  /// Why nothing can be written in a zone: its items fail, and no other's.
  var failures: [ZoneKey: BrumeError] = [:]
  /// The room that what was found has in memory.
  private var share: WaitingCascades.Share?

  /// - Throws: `TRY_AGAIN_LATER` if there is no room for it beside what others wait with.
  mutating func take(
    _ more: [ZoneKey: FoundCascade], in waiting: WaitingCascades, of user: UserID
  ) throws(BrumeError) {
    let share = share ?? waiting.share(of: user)
    try share.take(more.values.reduce(0) { $0 + $1.bytes })
    self.share = share
    found.merge(more) { $1 }
  }
}

extension OperationMemory {
  /// The answers of the first try, as far as the caller may still have them.
  fileprivate func recall(
    _ part: ModifyPlan.Part, _ context: ModifyContext, _ schemas: SchemaCache,
    in transaction: any WriteTransaction
  ) throws -> [Int: RecordResult]? {
    let schema = try schemas.schema(of: part.database.containerEnvironment, in: transaction)
    let access = RecordAccess(
      transaction, context.scope, context.caller, context.limits, schema)
    return try recall(for: part.zones.flatMap(\.items), access, now: context.now)
  }
}
