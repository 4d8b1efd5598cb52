// What the tests of this target share: chance with a seed, and random schemas.

import BrumeModel
import BrumeSchema

/// SplitMix64: the same numbers on every machine for the same seed.
struct Seeded: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  mutating func one<T>(of all: [T]) -> T { all[below(all.count)] }
  mutating func some<T>(of all: [T]) -> [T] { all.filter { _ in below(2) == 0 } }
}

extension Schema {
  static func random(_ seeded: inout Seeded) -> Schema {
    let roles = seeded.some(of: ["moderator", "judge", "GRANT", "best friend"])
    var types: [String: RecordType] = [:]
    for name in seeded.some(of: ["Hike", "Trail", "Users", "queryable", "cloudkit.share", "A_1"]) {
      types[name] = .random(&seeded, roles)
    }
    return Schema(recordTypes: types, roles: roles)
  }
}

extension Schema.RecordType {
  static func random(_ seeded: inout Seeded, _ roles: [String]) -> Schema.RecordType {
    var fields: [String: Schema.Field] = [:]
    let names = ["title", "km", "List", "sortable", "tags", "string", "aVeryLongNameOfAField"]
    for name in seeded.some(of: names) { fields[name] = .random(&seeded) }
    if seeded.below(2) == 0 { fields["___recordID"] = .justInTime(.reference) }
    let grants = seeded.some(of: roles + ["_world", "_icloud", "_creator"]).map { role in
      Schema.Grant(role, [seeded.one(of: Schema.Permission.allCases), .read])
    }
    return Schema.RecordType(fields: fields, grants: grants)
  }
}

extension Schema.Field {
  static func random(_ seeded: inout Seeded) -> Schema.Field {
    var type = seeded.one(of: FieldType.scalars)
    let isEncrypted = type != .asset && type != .reference && seeded.below(3) == 0
    if seeded.below(3) == 0 { type = .list(type) }
    let indexes = isEncrypted ? [] : seeded.some(of: Array(Index.allowed(for: type)))
    return Schema.Field(type, isEncrypted: isEncrypted, indexes: Set(indexes))
  }
}
