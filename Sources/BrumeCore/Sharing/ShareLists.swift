// The shares of a user for operators. A share is a record, so the list is a query on their type, which the
// engine answers from an index of its own making.

package import BrumeModel
import BrumeStorage

/// Lists the shares of a user's private database page by page.
package struct ShareLists: Sendable {
  private let store: any Store
  private let limits: Limits
  private let seal: Seal

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    seal = parts.seal
  }

  /// Shares in the order of zones and names.
  ///
  /// - Parameter after: `ListPage.after` of the page before; nil: from the start.
  /// - Throws: `badRequest` for another database than a private one, and if `after` is not of this list.
  package func page(
    of view: OpenedView, after: String?, limit: Int?
  ) async throws -> ListPage<ShareSummary> {
    guard view.scope == .private else {
      throw BrumeError(
        .badRequest, "shares are in the private database of their owner; name that one")
    }
    let database = try view.caller.databaseKey(.private)
    // Every record has this field, and few are shares: its index finds them.
    let every = Filter(.greaterThanOrEquals, .system(.createdTimestamp), .timestamp(0))
    let query = Query(recordType: Record.shareType, filters: [every])
    let digest = ContinuationMarker.digest(
      query, zone: nil, in: database, view.scope, as: view.caller)
    let request = EngineQuery(
      database: database, zone: nil, query: query,
      after: try seal.position(after, of: digest), limit: limits.listPage(limit),
      candidateLimit: limits.candidatesPerPage, byteLimit: limits.answerBytes)
    return try await store.read { [seal] transaction in
      let page = try transaction.queries.matching(request)
      let shares = try page.records.compactMap { stored -> ShareSummary? in
        if stored.isUnreadable { return nil }
        let record = try stored.record()
        return record.shareDetails.map { ShareSummary(record.name, in: record.zone, $0) }
      }
      return ListPage(shares, after: page.next.map { seal.marker(at: $0, of: digest) })
    }
  }
}
