// Matches of a sorted query and their order, from which a page is cut by its offset.

package import BrumeModel
import BrumePredicate
package import BrumeStorage

/// A match, fetched and decoded as far as somebody needed it.
package struct SortedMatch: Sendable {
  /// The engine's number of the zone.
  package let zone: Int64
  package let name: String
  /// The engine's number of the record, if it has one and knows it.
  package let row: Int64?
  package var stored: StoredRecord?
  /// With the fields that the order depends on and no others: a page brings few of many matches.
  package private(set) var record: Record?

  package init(zone: Int64, name: String, row: Int64? = nil, stored: StoredRecord? = nil) {
    self.zone = zone
    self.name = name
    self.row = row
    self.stored = stored
  }

  /// The match with what its place in the order depends on; its bytes are let go.
  package func keyed(by record: Record?, _ sorts: [Sort]) -> SortedMatch {
    var match = SortedMatch(zone: zone, name: name, row: row)
    match.record = record?.keeping(sorts)
    return match
  }
}

extension [SortedMatch] {
  /// Matches that are `keyed`, in the order of the sorts.
  package func inOrder(of sorts: [Sort]) -> [SortedMatch] {
    sorted { a, b in
      guard let a = a.record, let b = b.record else { return false }
      return Evaluate.precedes(a, b, sorts)
    }
  }
}

extension Record {
  /// The record with no other fields than the sorts look at.
  fileprivate func keeping(_ sorts: [Sort]) -> Record {
    var kept = self
    kept.shareDetails = nil
    kept.fields = fields.filter { field in sorts.contains { $0.field == .field(field.key) } }
    return kept
  }
}

/// The place of a page among the matches in their order.
package struct SortedPage: Sendable {
  private let request: EngineQuery
  private let offset: Int
  private let limit: Int

  package init(_ request: EngineQuery) {
    self.request = request
    offset = Swift.max(0, request.after?.offset ?? 0)
    limit = Swift.max(1, request.limit)
  }

  /// How many of the first matches are needed: one more than the page's last shows whether more follow.
  package var count: Int { offset + limit + 1 }

  /// The matches of the page, if it may have any number of bytes.
  package func slice(of matches: [SortedMatch]) -> ArraySlice<SortedMatch> {
    matches.dropFirst(offset).prefix(limit)
  }

  /// The page from its matches, which were fetched, of `total` matches.
  package func page(
    _ fetched: [SortedMatch], of total: Int, _ zones: [SearchedZone]
  ) -> EngineQueryPage {
    let page = request.fitting(fetched) { $0.stored?.byteCount ?? 0 }
    let records = page.compactMap(\.stored)
    guard let last = page.last, total > offset + page.count else {
      return EngineQueryPage(records: records, next: nil)
    }
    let zoneName = zones.first { $0.number == last.zone }?.name ?? ""
    let next = QueryPosition(offset: offset + page.count, zone: zoneName, name: last.name)
    return EngineQueryPage(records: records, next: next)
  }
}
