// Random records and queries for the comparison of engines with plain evaluation. Small pools of
// hard values, so that things are often equal, next to each other, or of the wrong type.

package import BrumeModel
import BrumeStorage

/// Makes records and queries from one seed.
package struct QueryGenerator {
  package var random: SeededRandom
  /// What the store holds, by zone and name.
  private(set) var records: [RecordKey: Record] = [:]

  package init(seed: UInt64) { random = SeededRandom(seed: seed) }

  package static let zones = ["A", "B", "_defaultZone"].map { ZoneKey.sample($0) }
  static let types = ["Trail", "Hut"]
  static let fields = ["s", "n", "d", "x", "t", "r", "p", "b", "ls", "ln", "lr", "mixed", "never"]

  /// Some of the records.
  mutating func visible() -> VisibleRecords {
    if random.one(in: 2) { return .made(by: UserID(random.pick(Self.users))) }
    let names = Set(records.keys.map { ByteText($0.name) }).sorted()
    return .named(Set(names.filter { _ in random.one(in: 2) }))
  }

  // MARK: Values

  static let long = String(repeating: "long ", count: 60)
  static let strings = [
    "", "a", "ab", "abc", "b", "A", "a b", "The Trail", "trail head", "%", "_", "'", "caf\u{e9}",
    "cafe\u{301}", "\u{ac00} head", "\u{1100}\u{1161} trail", "\u{304c} b", "\u{304b}\u{3099} b",
    "\u{8c48}", "\u{f900} the", "\u{915}\u{93c} trail", "\u{3b1}\u{374}", "\u{3b1}\u{2b9} b",
    "\u{7f}", "\u{ffff}", "\u{10000}",
    "\u{10ffff}", "9", "10", "r1", "r2",
    long, long + "a", long + "b", String(repeating: "x", count: 128),
    String(repeating: "x", count: 129),
  ]
  static let ints: [Int64] = [
    .min, .min + 1, -1, 0, 1, 2, 3, 1 << 53, (1 << 53) + 1, .max - 1, .max,
  ]
  static let doubles: [Double] = [
    -.greatestFiniteMagnitude, -0.5, -0.0, 0, 0.1, 0.5, 1, 2, 2.5, 0x1p53, 0x1p63, -0x1p63, 1e300,
  ]
  /// The database's owner first.
  static let users = ["_a1", "_u1", "_u2"]
  static let places = [
    (0.0, 0.0), (0.01, 0), (0.001, 0.001), (47.1, 8.2), (47.2, 8.3), (-89.9, 179.9), (89, -180),
    (90, 10), (12, 180), (12, -180), (12, 179.9), (-47.1, -171.8), (200, 8),
  ]

  static let searches = [
    "trail", "the", "head a", "B", "", "CAFE", "caf\u{e9} \u{1100}\u{1161}", "\u{ac00}", "\u{304c}",
    "\u{304b}\u{3099} b", "\u{f900}", "\u{8c48} trail", "\u{958}", "x trail", "long",
    "\u{3b1}\u{374}", "\u{3b1}\u{2b9}",
    String(repeating: "x", count: 129),
  ]

  mutating func string() -> FieldValue { .string(random.pick(Self.strings)) }
  mutating func int() -> FieldValue { .int64(random.pick(Self.ints)) }
  mutating func double() -> FieldValue { .double(random.pick(Self.doubles)) }
  mutating func time() -> FieldValue { .timestamp(random.pick(Self.ints)) }
  mutating func bytes() -> FieldValue { .bytes([UInt8(random.next(below: 3))]) }

  mutating func reference() -> FieldValue {
    let zone = random.one(in: 3) ? ZoneID(name: "B", ownerName: "_a1") : nil
    return .reference(Reference(recordName: name(), zone: zone))
  }

  mutating func place() -> FieldValue {
    let (latitude, longitude) = random.pick(Self.places)
    return .location(Location(latitude: latitude, longitude: longitude))
  }

  mutating func anything() -> FieldValue {
    switch random.next(below: 7) {
    case 0: string()
    case 1: int()
    case 2: double()
    case 3: time()
    case 4: reference()
    case 5: place()
    default: bytes()
    }
  }

  mutating func list(_ type: FieldType, _ element: (inout QueryGenerator) -> FieldValue)
    -> FieldValue
  {
    var elements: [FieldValue] = []
    for _ in 0..<random.next(below: 4) { elements.append(element(&self)) }
    return .list(elements, of: type)
  }

  mutating func value(of field: String) -> FieldValue {
    switch field {
    case "s": string()
    case "n": int()
    case "d": double()
    case "x": random.one(in: 2) ? int() : double()
    case "t": time()
    case "r": reference()
    case "p": place()
    case "b": bytes()
    case "ls": list(.string) { $0.string() }
    case "ln": list(.int64) { $0.int() }
    case "lr": list(.reference) { $0.reference() }
    default: anything()
    }
  }

  mutating func name() -> String { "r\(random.next(below: 40))" }

  // MARK: Records

  /// A record in which fields are often missing and now and then encrypted.
  package mutating func record(_ key: RecordKey, sequence: Int64) -> Record {
    var record = Record.sample(
      key.name, in: key.zone, type: random.pick(Self.types), sequence: sequence,
      parent: random.one(in: 3) ? name() : nil)
    for field in Self.fields.dropLast() where !random.one(in: 5) {
      record.fields[field] = value(of: field)
      if field == "s", random.one(in: 9) { record.encryptedFields = [field] }
    }
    // Some fields that every record has, and a time of few values.
    record.fields["always"] = .int64(Int64(random.next(below: 4)))
    record.created?.time = Int64(random.next(below: 5))
    record.created?.user = UserID(random.pick(Self.users))
    if random.one(in: 6) { record.share = "S" }
    return record
  }

  /// One random change of the store.
  mutating func change(_ transaction: any WriteTransaction) throws {
    let key = RecordKey(zone: random.pick(Self.zones), name: name())
    let sequence = try transaction.sequences.next(in: key.zone.database)
    if let old = records[key], random.one(in: 4) {
      try transaction.records.remove(key, type: old.type, sequence: sequence)
      records[key] = nil
    } else {
      var new = record(key, sequence: sequence)
      // Often an update that leaves most fields as they were.
      if let old = records[key], random.one(in: 2) {
        let field = random.pick(Self.fields)
        new.type = old.type
        new.fields = old.fields
        new.fields[field] = random.one(in: 3) ? nil : value(of: field)
        new.encryptedFields = old.encryptedFields.intersection(new.fields.keys)
      }
      try transaction.records.put(new, in: key.zone, sequence: sequence)
      records[key] = new
    }
  }
}

// MARK: Queries

extension QueryGenerator {
  /// A query, perhaps of a type that no record has.
  package mutating func query() -> Query {
    var query = Query(recordType: random.pick(Self.types + ["Unknown"]))
    for _ in 0..<random.pick([0, 1, 1, 1, 2, 2, 3]) { query.filters.append(filter()) }
    if random.one(in: 9) { query.filters += spellings() }
    for _ in 0..<random.pick([0, 0, 0, 1, 1, 2]) { query.sorts.append(sort()) }
    return query
  }

  /// Two conditions on one field whose texts Swift's own operator takes for equal.
  private mutating func spellings() -> [Filter] {
    let (field, comparator) = random.pick([("s", Comparator.equals), ("ls", .listContains)])
    return ["caf\u{e9}", "cafe\u{301}"].map { Filter(comparator, .field(field), .string($0)) }
  }

  /// A conjunction as a subscription may have it.
  package mutating func condition() -> [Filter] {
    (0..<random.pick([1, 1, 1, 2, 2, 3])).map { _ in filter() }
  }

  private mutating func fieldName() -> FieldName {
    random.one(in: 4)
      ? .system(random.pick(SystemField.allCases)) : .field(random.pick(Self.fields + ["always"]))
  }

  private mutating func sort() -> Sort {
    if random.one(in: 4), case .location(let place) = place() {
      let field = random.one(in: 6) ? "mixed" : "p"
      return Sort(.field(field), ascending: random.one(in: 2), relativeLocation: place)
    }
    return Sort(fieldName(), ascending: random.one(in: 2))
  }

  private mutating func filter() -> Filter {
    let comparator = random.pick(Comparator.allCases)
    if comparator == .near {
      return Filter(.near, .field("p"), place(), distance: random.pick([0, 2000, 50_000, 3e7]))
    }
    if comparator == .containsAllTokens || comparator == .containsAnyTokens {
      let field: FieldName? = random.one(in: 2) ? nil : .field(random.pick(["s", "ls", "n"]))
      return Filter(comparator, field, .string(random.pick(Self.searches)))
    }
    let field = fieldName()
    return Filter(comparator, field, constant(for: field, comparator))
  }

  /// Usually of the field's type.
  private mutating func constant(for field: FieldName, _ comparator: Comparator) -> FieldValue {
    switch comparator {
    case .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll:
      var elements: [FieldValue] = []
      for _ in 0..<random.next(below: 5) { elements.append(scalar(for: field)) }
      return .list(elements, of: elements.first?.type)
    case .beginsWith, .notBeginsWith, .listMemberBeginsWith, .notListMemberBeginsWith:
      return .string(
        random.pick(["", "a", "ab", "caf", "\u{10}", Self.long, "r", String(Self.long.dropLast(9))])
      )
    case .equals, .notEquals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals,
      .near, .containsAllTokens, .containsAnyTokens, .listContains, .notListContains:
      return scalar(for: field)
    }
  }

  private mutating func scalar(for field: FieldName) -> FieldValue {
    if random.one(in: 8) { return anything() }
    switch field {
    case .field("always"): return .int64(Int64(random.next(below: 5)))
    case .field("n"), .field("d"), .field("ln"): return random.one(in: 3) ? double() : int()
    case .field("ls"): return string()
    case .field("lr"): return reference()
    case .field(let name): return value(of: name)
    case .system(.createdTimestamp), .system(.modifiedTimestamp):
      return .timestamp(Int64(random.next(below: 6)))
    case .system(.createdUserRecordName), .system(.modifiedUserRecordName):
      return random.one(in: 2)
        ? .string(random.pick(Self.users))
        : .reference(Reference(recordName: random.pick(Self.users)))
    case .system(.share): return .string(random.pick(["S", ""]))
    case .system(.recordName), .system(.parent):
      let name = random.one(in: 9) ? "" : name()
      return random.one(in: 2) ? .string(name) : .reference(Reference(recordName: name))
    }
  }
}
