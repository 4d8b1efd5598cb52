// records/query: checks the query against the schema and the caller's rights, then lets the engine
// answer from its indexes.

package import BrumeModel
import BrumePredicate
import BrumeSchema
import BrumeStorage

/// Finding records by what they hold.
package struct Queries: Sendable {
  private let store: any Store
  private let limits: Limits
  private let seal: Seal
  private let schemas: SchemaCache
  private let uses: IndexUses

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    seal = parts.seal
    schemas = parts.schemas
    uses = parts.indexUses
  }

  /// One page of a query.
  ///
  /// - Throws: `badRequest` if an index is missing, the marker is of another query, or the query asks too
  ///   much; `notFound` for an unknown record type, `zoneNotFound`, `accessDenied`, `limitExceeded` if too
  ///   many records of the zone are shared with the caller, or would be looked at for their order.
  package func run(
    _ request: QueryRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> QueryPage {
    let run = try prepared(request, in: scope, as: caller)
    let containerEnvironment = caller.containerEnvironment
    do {
      let page = try await store.read { transaction in try run.page(request, in: transaction) }
      uses.noteUsed(page.indexes, in: containerEnvironment)
      return page.page
    } catch let error as BrumeError where error.code == .badRequest {
      uses.noteMissing(
        await missing(request.query, in: containerEnvironment), in: containerEnvironment)
      throw error
    }
  }

  /// The indexes for lack of which a query may have been refused.
  private func missing(_ query: Query, in containerEnvironment: ContainerEnvironment) async
    -> [IndexName]
  {
    let missing = try? await store.read { [schemas] transaction in
      QueryRules.missingIndexes(
        of: query, in: try schemas.schema(of: containerEnvironment, in: transaction))
    }
    return missing ?? []
  }

  /// The same, with where the records were looked for. A query that lacks indexes answers with their names
  /// instead of records.
  ///
  /// - Throws: as `run`, except for missing indexes.
  package func explained(
    _ request: QueryRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> (QueryPage, QueryCost) {
    let run = try prepared(request, in: scope, as: caller)
    return try await store.read { transaction in
      try run.explainedPage(request, in: transaction)
    }
  }

  private func prepared(
    _ request: QueryRequest, in scope: DatabaseScope, as caller: Caller
  ) throws(BrumeError) -> QueryRun {
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
    return QueryRun(
      zone: try caller.zoneKey(request.zone, in: scope, limits: limits), isZoneWide: isZoneWide,
      scope: scope, caller: caller, limits: limits, schemas: schemas, seal: seal)
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

  /// The page, and what an operator gets to see of it. Without an index that the query needs, it is not run.
  func explainedPage(
    _ request: QueryRequest, in transaction: any ReadTransaction
  ) throws -> (QueryPage, QueryCost) {
    let schema = try schemas.schema(of: caller.containerEnvironment, in: transaction)
    let missing = QueryRules.missingIndexes(of: request.query, in: schema)
    // An operator may look through all records of a type; the app still needs the index.
    let browses = caller.kind == .operator && request.query.filters.isEmpty
    guard missing.allSatisfy({ browses && $0.field == SystemField.recordName.schemaName }) else {
      return (QueryPage(records: [], marker: nil), QueryCost(missing: missing))
    }
    let found = try self.page(request, in: transaction)
    let sources = found.work.sources.map(\.words)
    return (found.page, QueryCost(sources: sources, rows: found.work.rows, missing: missing))
  }

  func page(
    _ request: QueryRequest, in transaction: any ReadTransaction
  ) throws -> (page: QueryPage, work: QueryWork, indexes: [IndexName]) {
    let view = isZoneWide ? nil : try ZoneView(of: zone, in: scope, for: caller, from: transaction)
    let schema = try schemas.schema(of: caller.containerEnvironment, in: transaction)
    let query = try QueryRules.checked(
      request.query.naming(caller.user), schema: schema, in: caller.containerEnvironment,
      limits: limits, browsing: caller.kind == .operator)
    let digest = ContinuationMarker.digest(
      query, zone: zoneName, in: zone.database, scope, as: caller)
    let visible =
      try view?.shares.map { try shown($0) }
      ?? readable(by: schema.rights(of: query.recordType))
    let fields = schema.recordTypes[query.recordType]?.fields ?? [:]
    let page = try transaction.queries.matching(
      EngineQuery(
        database: zone.database, zone: zoneName, query: query, visible: visible,
        after: try seal.position(request.marker, of: digest), limit: limits.page(request.limit),
        candidateLimit: limits.candidatesPerPage, sortedLimit: limits.sortedCandidates,
        byteLimit: limits.answerBytes,
        searchable: { fields[$0]?.indexes.contains(.searchable) ?? false }))
    let marker = page.next.map { seal.marker(at: $0, of: digest) }
    return (
      QueryPage(records: page.records, marker: marker), page.work,
      QueryRules.usedIndexes(of: query, in: schema)
    )
  }

  /// What the caller may read by the type's rights (case QRY-21): where only creators read, their own.
  private func readable(
    by rights: PublicRights
  ) throws(BrumeError) -> VisibleRecords {
    guard scope == .public else { return .all }
    let context = Permissions.Context.public(rights)
    let principal = caller.principal
    if Permissions.decide(principal, .read, in: context, creator: nil) == nil { return .all }
    if let error = Permissions.decide(principal, .read, in: context, creator: caller.user) {
      throw error
    }
    return caller.user.map { .made(by: $0) } ?? .all
  }

  /// What a participant sees of the zone: found from the shares downwards, so that nothing hidden is
  /// looked at.
  private func shown(_ shares: ShareScope) throws -> VisibleRecords {
    let maximum = limits.sharedRecordsPerQuery
    guard let names = try shares.coveredNames(limit: maximum) else {
      return .all
    }
    if names.count > maximum {
      throw BrumeError(
        .limitExceeded,
        "more than \(maximum) records of zone '\(zone.name)' are shared with you, too many for a "
          + "query; fetch the zone's changes instead")
    }
    return .named(names)
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

  /// The size of a page of an operator's list.
  package func listPage(_ wanted: Int?) -> Int {
    min(wanted.map { max(1, $0) } ?? operatorListPage, operatorListPage)
  }
}

extension QueryWork.Source {
  /// For operators.
  fileprivate var words: String {
    switch self {
    case .type: "every record of the type"
    case .index(let field): "index \(field)"
    case .names: "record names"
    }
  }
}
