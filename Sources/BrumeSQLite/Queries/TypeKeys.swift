// Reads what the query index holds of one record type in one zone.

import BrumeQueryPlan
import BrumeStorage

extension SQLiteTransaction {
  func typeKeys(_ rowKey: RecordTypeRowKey) throws -> TypeKeys {
    if let known = cache.typeKeys[rowKey] { return known }
    var keys = TypeKeys()
    let bind: (Prepared) -> Void = {
      $0.bind(1, rowKey.zone)
      $0.bind(2, rowKey.type)
    }
    try connection.each(Self.findWanted, bind) { row in
      keys.fields[row.text(0)] = WantedField(
        builtTo: row.optionalText(1), behind: row.optionalInt(3), isStarted: row.bool(2))
      return true
    }
    if !keys.fields.isEmpty {
      try connection.each(Self.findKeys, bind) { row in
        let kind = try row.known(IndexKind(rawValue: row.int(2)), "index kind")
        keys.fields[row.text(1)]?.keys.append(
          IndexKey(id: row.int(0), kind: kind, isSparse: row.bool(3), isCut: row.bool(4)))
        return true
      }
    }
    cache.typeKeys[rowKey] = keys
    return keys
  }

  private static let findWanted = SQL(
    "SELECT field, built_to, started, behind FROM wanted_fields WHERE zone = ?1 AND type = ?2")
  private static let findKeys = SQL(
    "SELECT id, field, kind, sparse, cut FROM index_keys WHERE zone = ?1 AND type = ?2")
}
