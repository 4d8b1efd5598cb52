// Which fields a query would find in the index and does not. Such a field comes into the index with the
// first query that could use it; until all records are in, queries evaluate the records themselves.
//
// Why not every field from the start: each row of the index is a page that a save changes at a random
// place, and most fields are never searched (docs/internals/storage.md, "What a save costs").

package import BrumeModel
package import BrumeStorage

/// Thrown out of a read that would be faster with an index; the store grows it and reads again.
package struct IndexWanted: Error, Equatable {
  package let database: DatabaseKey
  package let type: String
  /// Fields by their names in the index, by the zone's number.
  package private(set) var fields: [Int64: [String]] = [:]
  /// Names of the fields that the query can use, wherever it looks.
  private let useful: [String]

  /// Of zones that were not looked at, nothing is wanted.
  ///
  /// - Parameter filters: the request's, if they were made ready before.
  package init(for request: EngineQuery, _ filters: ReadyFilters? = nil) {
    database = request.database
    type = request.query.recordType
    useful = request.usefulFields(filters ?? ReadyFilters(request)).map(\.indexName)
  }

  /// Adds what is missing in a zone that has these keys of the type.
  package mutating func look(at keys: TypeKeys, inZone zone: Int64) {
    let missing = useful.filter { keys.fields[$0]?.isComplete != true }
    if !missing.isEmpty { fields[zone] = missing }
  }
}

extension EngineQuery {
  /// Fields whose index would find candidates, or give their order. A query for a whole type is
  /// served from creation times, so that a rare type is found without a search of the zone.
  fileprivate func usefulFields(_ filters: ReadyFilters) -> Set<IndexedField> {
    if filters.all.contains(where: { $0.names != nil }) { return [] }
    var fields = Set(filters.all.flatMap { $0.conditions.map(\.field) })
    if let sort = query.sorts.first, sort.field.isIndexed, !sort.field.hidesOwner(of: database) {
      fields.insert(.value(sort.field))
    }
    return fields.isEmpty ? [.value(.system(.createdTimestamp))] : fields
  }
}
