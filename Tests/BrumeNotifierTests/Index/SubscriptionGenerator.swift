// Random subscriptions and changes for comparing the index with the definition. Few fields and few
// values, so that matches are common; the values are those that are easily got wrong.

import BrumeModel
import BrumeTestKit

@testable import BrumeCore
@testable import BrumeNotifier

struct SubscriptionGenerator {
  var random: SeededRandom
  private let zones = [
    zone("Notes", of: nil), zone(ZoneID.defaultName, of: nil), zone("Notes", of: alice),
  ]

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  static let values: [FieldValue] = [
    .string(""), .string("a"), .string("ab"), .string("\u{e9}"), .string("e\u{301}"),
    .string("Ab"), .string("a b"), .int64(0), .int64(1), .int64(.max), .int64(.min),
    .int64(9_007_199_254_740_993), .double(9_007_199_254_740_992), .double(-0.0), .double(0),
    .double(1), .double(.nan), .double(.infinity), .double(1.5), .timestamp(-1), .timestamp(0),
    .timestamp(1), .reference(Reference(recordName: "a")), .bytes([1]), .bytes([]),
    .location(Location(latitude: 0, longitude: 180)),
    .location(Location(latitude: 0, longitude: -180)),
    // Around the longest key of a prefix, and between two lengths of keys.
    .string("pp"), .string("ppp"), .string(longest), .string(longest + "p"),
    .string(longest + "q"),
  ]
  private static let longest = String(repeating: "p", count: 128)

  mutating func value() -> FieldValue { Self.values.randomElement(using: &random)! }

  mutating func list() -> FieldValue {
    let count = Int.random(in: 0...3, using: &random)
    let elements = (0..<count).map { _ in value() }
    return .list(elements, of: elements.first?.type)
  }

  mutating func field() -> FieldName {
    let system: [FieldName] = [
      .system(.recordName), .system(.parent), .system(.createdTimestamp),
      .system(.createdUserRecordName),
    ]
    let own = ["a", "b", "list", "text"].map { FieldName.field($0) }
    return (Int.random(in: 0..<6, using: &random) == 0 ? system : own)
      .randomElement(using: &random)!
  }

  mutating func filter() -> Filter {
    let comparator = Comparator.allCases.randomElement(using: &random)!
    let field: FieldName? =
      comparator == .containsAllTokens || comparator == .containsAnyTokens ? nil : field()
    switch comparator {
    case .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll,
      .notListContainsAll:
      return Filter(comparator, field, list())
    case .containsAllTokens, .containsAnyTokens:
      return Filter(comparator, field, .string("a"))
    case .near:
      let here = FieldValue.location(Location(latitude: 0, longitude: 179.99))
      return Filter(comparator, field, here, distance: 5000)
    default: return Filter(comparator, field, value())
    }
  }

  mutating func subscription(startPosition: Int64) -> StoredSubscription {
    let id = "s\(Int.random(in: 0..<400, using: &random))"
    let user = [alice, bob].randomElement(using: &random)!
    let scope: DatabaseScope = Bool.random(using: &random) ? .public : .private
    switch Int.random(in: 0..<12, using: &random) {
    case 0 where scope == .private:
      return stored(
        id, .zone(zones[2].id, recordType: nil), in: place(scope, user),
        startPosition: startPosition)
    case 1 where scope == .private:
      return stored(
        id, .database(recordType: "Note"), in: place(scope, user), startPosition: startPosition)
    default:
      let filters = (0..<Int.random(in: 0...3, using: &random)).map { _ in filter() }
      let events = Subscription.Event.allCases.filter { _ in Bool.random(using: &random) }
      let limited = Int.random(in: 0..<4, using: &random) == 0
      return stored(
        id, query("Note", filters, zone: limited ? zones[0].id : nil, on: Set(events)),
        in: place(scope, user), startPosition: startPosition)
    }
  }

  mutating func entry(at position: Int64) -> LogEntry {
    let zone = zones.randomElement(using: &random)!
    var fields: [String: FieldValue] = [:]
    for name in ["a", "b", "text"] where Int.random(in: 0..<5, using: &random) > 0 {
      fields[name] = value()
    }
    if Bool.random(using: &random) { fields["list"] = list() }
    var note = record(["a", "ab"].randomElement(using: &random)!, "Note", in: zone, fields)
    if Int.random(in: 0..<8, using: &random) == 0 { note.encryptedFields = ["a"] }
    if Bool.random(using: &random) { note.parent = "a" }
    note.created = Stamp(time: 1, user: alice, device: "phone")
    let kind = [RecordChange.Kind.created, .updated, .deleted].randomElement(using: &random)!
    return change(kind, note, in: zone, at: position)
  }

  /// The definition, asked of every subscription.
  func expected(
    _ all: some Sequence<StoredSubscription>, _ entry: LogEntry
  ) -> [String] {
    guard case .record(let change) = entry.event else { return [] }
    let image = try? change.image?.record()
    return all.filter { FireRules.fires($0, on: entry, image: image) { $0 == "text" } }
      .map(\.key).sorted().map(\.id)
  }
}
