// Queries, keys and counts of rows, as the tests of the planner use them.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit

extension EngineQuery {
  /// A query for the type `Trail` in the zone `Trails` of a private database.
  static func sample(
    _ filters: [Filter] = [], sorts: [Sort] = [], visible: VisibleRecords = .all,
    after: QueryPosition? = nil, limit: Int = 10, candidateLimit: Int = .max, byteLimit: Int = .max
  ) -> EngineQuery {
    EngineQuery(
      database: .sample(), zone: "Trails",
      query: Query(recordType: "Trail", filters: filters, sorts: sorts), visible: visible,
      after: after, limit: limit, candidateLimit: candidateLimit, byteLimit: byteLimit)
  }
}

extension TypeKeys {
  /// Fields that are wholly in the index, each with one key. Keys are numbered from 1 in this order.
  static func sample(_ fields: KeyValuePairs<String, IndexKind>, isSparse: Bool = false) -> TypeKeys
  {
    var keys = TypeKeys()
    for (index, (name, kind)) in fields.enumerated() {
      let key = IndexKey(id: Int64(index + 1), kind: kind, isSparse: isSparse, isCut: false)
      keys.fields[name] = WantedField(builtTo: nil, isStarted: true, keys: [key])
    }
    return keys
  }

  func rows(_ field: String, _ range: ValueRange) -> ZonePlan.Rows? {
    fields[field]?.keys.first.map { ZonePlan.Rows(key: $0, range: range) }
  }
}

/// Counts as an engine with these numbers of rows under its keys would.
func counter(_ rows: [Int64: Int]) -> (ZonePlan.Rows, Int) -> Int {
  { asked, limit in min(rows[asked.key.id] ?? 0, limit) }
}

/// For plans that must not count anything.
func nothing(_ rows: ZonePlan.Rows, _ limit: Int) throws -> Int { throw Counted() }
struct Counted: Error {}
