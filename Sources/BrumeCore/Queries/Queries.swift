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
