// Random schemas.

import BrumeModel
import BrumeSchema
import BrumeTestKit

extension SeededRandom {
  /// Each of the values, or not.
  fileprivate mutating func some<Value>(of values: [Value]) -> [Value] {
    values.filter { _ in one(in: 2) }
  }
}

extension Schema {
  static func random(_ seeded: inout SeededRandom) -> Schema {
    let roles = seeded.some(of: ["moderator", "judge", "GRANT", "best friend"])
    var types: [String: RecordType] = [:]
    for name in seeded.some(of: ["Hike", "Trail", "Users", "queryable", "cloudkit.share", "A_1"]) {
      types[name] = .random(&seeded, roles)
    }
    return Schema(recordTypes: types, roles: roles)
  }
}

extension Schema.RecordType {
  static func random(_ seeded: inout SeededRandom, _ roles: [String]) -> Schema.RecordType {
    var fields: [String: Schema.Field] = [:]
    let names = ["title", "km", "List", "sortable", "tags", "string", "aVeryLongNameOfAField"]
    for name in seeded.some(of: names) { fields[name] = .random(&seeded) }
    if seeded.next(below: 2) == 0 { fields["___recordID"] = .justInTime(.reference) }
    let grants = seeded.some(of: roles + ["_world", "_icloud", "_creator"]).map { role in
      Schema.Grant(role, [seeded.pick(Schema.Permission.allCases), .read])
    }
    return Schema.RecordType(fields: fields, grants: grants)
  }
}

extension Schema.Field {
  static func random(_ seeded: inout SeededRandom) -> Schema.Field {
    var type = seeded.pick(FieldType.scalars)
    let isEncrypted = type != .asset && type != .reference && seeded.next(below: 3) == 0
    if seeded.next(below: 3) == 0 { type = .list(type) }
    let indexes = isEncrypted ? [] : seeded.some(of: Array(Index.allowed(for: type)))
    return Schema.Field(type, isEncrypted: isEncrypted, indexes: Set(indexes))
  }
}
