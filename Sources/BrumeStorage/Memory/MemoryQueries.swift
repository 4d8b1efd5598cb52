// Queries in memory: look at every record of the type. What SQLite answers from its indexes is
// tested against this.

import BrumeModel
import BrumePredicate

final class MemoryQueries: MemoryFeature, QueryReading {
  func matching(_ request: EngineQuery) throws -> EngineQueryPage {
    try request.query.sorts.isEmpty ? page(byKey: request) : page(bySort: request)
  }

  /// In key order, from the key where the last page ended.
  private func page(byKey request: EngineQuery) throws -> EngineQueryPage {
    let candidates = candidates(of: request)
    let filters = PreparedFilters(request.query.filters)
    var found: [MemoryRecord] = []
    var bytes = 0
    for (index, candidate) in candidates.enumerated() {
      try Task.checkCancellation()
      if filters.match(candidate.record, searchable: request.searchable) {
        bytes += candidate.bytes.count
        if found.count == request.limit || (bytes > request.byteLimit && !found.isEmpty) {
          return answer(
            found, request.position(after: found.count, at: found[found.count - 1].record),
            looked: index + 1)
        }
        found.append(candidate)
      }
      if index + 1 >= request.candidateLimit, index + 1 < candidates.count {
        return answer(
          found, request.position(after: found.count, at: candidate.record), looked: index + 1)
      }
    }
    return answer(found, nil, looked: candidates.count)
  }

  /// All matches in their order, then the page at the offset.
  private func page(bySort request: EngineQuery) throws -> EngineQueryPage {
    let offset = max(0, request.after?.offset ?? 0)
    let filters = PreparedFilters(request.query.filters)
    let candidates = candidates(of: request)
    try request.checkSorted(candidates.count)
    let all = try candidates.filter { candidate in
      try Task.checkCancellation()
      return filters.match(candidate.record, searchable: request.searchable)
    }
    .sorted { Evaluate.precedes($0.record, $1.record, request.query.sorts) }
    let page = request.fitting(all.dropFirst(offset).prefix(request.limit)) {
      $0.bytes.count
    }
    guard let last = page.last, offset + page.count < all.count else {
      return answer(page, nil, looked: candidates.count)
    }
    return answer(
      page, request.position(after: page.count, at: last.record), looked: candidates.count)
  }

  /// The type's records in key order; without sorting only those after the last page.
  private func candidates(of request: EngineQuery) -> [MemoryRecord] {
    let zones = draft.state.databases[request.database]?.zones ?? [:]
    let from = request.query.sorts.isEmpty ? request.after : nil
    var candidates: [(key: (ByteText, ByteText), record: MemoryRecord)] = []
    // A deleted zone may still have rows; who names a zone has looked for it.
    for (zoneName, zone) in zones
    where request.zone.map({ ByteText($0) == zoneName }) ?? (zone.row?.isLive ?? true) {
      for (name, record) in zone.records
      where record.record.type == request.query.recordType
        && request.visible.contains(record.record)
      {
        let key = (zoneName, name)
        if let from, key <= (ByteText(from.zone), ByteText(from.name)) { continue }
        candidates.append((key, record))
      }
    }
    return candidates.sorted { $0.key < $1.key }.map(\.record)
  }

  private func answer(
    _ found: [MemoryRecord], _ next: QueryPosition?, looked: Int
  ) -> EngineQueryPage {
    var work = QueryWork()
    work.begin(.type)
    work.look(at: looked)
    return EngineQueryPage(records: found.map(draft.stored), next: next, work: work)
  }
}

extension EngineQuery {
  /// The position of a page that brought `count` records and looked as far as `record`.
  func position(after count: Int, at record: Record) -> QueryPosition {
    QueryPosition(
      offset: (after?.offset ?? 0) + count, zone: record.zone.name, name: record.name)
  }
}
