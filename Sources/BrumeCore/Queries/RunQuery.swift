// records/query: checks the query against the schema and the caller's rights, then lets the engine
// answer from its indexes.

package import BrumeModel
import BrumePredicate
import BrumeSchema
import BrumeStorage

extension Engine {
  /// One page of a query.
  package func query(
    _ request: QueryRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> QueryPage {
    try caller.requireAccess(to: scope)
    let namesNoZone = request.zoneWide && request.zone == nil
    if namesNoZone, scope == .shared {
      throw BrumeError(
        .badRequest,
        "a query over all zones does not work in the shared database; name a zone of it")
    }
    // CloudKit: web clients send `zoneWide` with each query that names no zone; the public database
    // has the default zone only.
    let isZoneWide = namesNoZone && scope == .private
    let run = QueryRun(
      zone: try caller.zoneKey(request.zone, in: scope, limits: limits), isZoneWide: isZoneWide,
      scope: scope, caller: caller, limits: limits, schemas: schemas, seal: seal)
    return try await store.read { transaction in try run.page(request, in: transaction) }
  }
}

private struct QueryRun: Sendable {
  let zone: ZoneKey
  let isZoneWide: Bool
  let scope: DatabaseScope
  let caller: Caller
  let limits: Limits
  let schemas: SchemaCache
  let seal: Seal

  private var zoneName: String? { isZoneWide ? nil : zone.name }

  func page(_ request: QueryRequest, in transaction: any ReadTransaction) throws -> QueryPage {
    let view = isZoneWide ? nil : try transaction.zoneView(zone, in: scope, for: caller)
    let schema = try schemas.schema(of: caller.container, caller.environment, in: transaction)
    var query = try QueryPlan.checked(
      request.query.naming(caller.user), schema: schema, limits: limits)
    let digest = ContinuationMarker.digest(
      query, zone: zoneName, in: zone.database, scope, as: caller)
    try narrow(&query, to: schema.rights(of: query.recordType))
    let fields = schema.recordTypes[query.recordType]?.fields ?? [:]
    let page = try transaction.matching(
      EngineQuery(
        database: zone.database, zone: zoneName, query: query,
        after: try position(request.marker, digest), limit: limits.page(request.limit),
        candidateLimit: limits.candidatesPerPage,
        searchable: { fields[$0]?.indexes.contains(.searchable) ?? false }))
    let marker = page.next.map { position in
      seal.text(
        ContinuationMarker(digest: digest, position: position).bytes, for: .continuationMarker)
    }
    return QueryPage(records: try visible(page.records, view, transaction), marker: marker)
  }

  private func position(_ marker: String?, _ digest: UInt64) throws(BrumeError) -> QueryPosition? {
    guard let marker else { return nil }
    guard let bytes = seal.payload(of: marker, for: .continuationMarker),
      let opened = ContinuationMarker(bytes), opened.digest == digest
    else { throw ContinuationMarker.refused }
    return opened.position
  }

  /// Leaves out what the caller may not read (case QRY-21): where only creators read, his own.
  private func narrow(_ query: inout Query, to rights: PublicRights) throws(BrumeError) {
    guard scope == .public else { return }
    let place = Permissions.Place.public(rights)
    let principal = caller.principal
    if Permissions.decide(principal, .read, in: place, creator: nil) == nil { return }
    if let error = Permissions.decide(principal, .read, in: place, creator: caller.user) {
      throw error
    }
    guard let user = caller.user else { return }
    let mine = FieldValue.reference(Reference(recordName: user.name))
    query.filters.append(Filter(.equals, .system(.createdUserRecordName), mine))
  }

  private func visible(
    _ records: [StoredRecord], _ view: ZoneView?, _ transaction: any ReadTransaction
  ) throws -> [StoredRecord] {
    guard let view, let shares = view.shares else { return records }
    var coverage = try transaction.coverage(in: zone, limits: limits)
    return try records.filter { stored in
      let covering = try coverage.shares(of: try stored.record()) { name in
        try transaction.record(RecordKey(zone: zone, name: name))?.record()
      }
      return shares.permission(through: covering) != nil
    }
  }
}

extension Query {
  /// The query with the caller's own name where its conditions say `__defaultOwner__`. To a caller
  /// without an account the alias is nobody.
  func naming(_ user: UserID?) -> Query {
    guard let user else { return self }
    var named = self
    named.filters = filters.map { $0.naming(user) }
    return named
  }
}

extension Limits {
  /// The size of a page: what the caller wants, at most the maximum; 0 leaves it to the server (case
  /// QRY-15).
  func page(_ wanted: Int?) -> Int {
    guard let wanted, wanted > 0 else { return recordsPerResponse }
    return min(wanted, recordsPerResponse)
  }
}
