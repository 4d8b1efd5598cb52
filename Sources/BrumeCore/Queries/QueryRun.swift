// One query, allowed and within the limits, as the engine answers it.

import BrumeModel
import BrumePredicate
import BrumeSchema
import BrumeStorage

struct QueryRun: Sendable {
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
