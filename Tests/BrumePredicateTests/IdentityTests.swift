// Laws that hold for any filter and any record, tried on seeded random ones.

import BrumeModel
import BrumePredicate
import BrumeTestKit
import Testing

struct IdentityTests {
  static let texts = ["", "a", "A", "ab", "caf\u{e9}", "cafe\u{301}", "the hill", "\u{10000}"]
  static let numbers: [FieldValue] = [
    .int64(0), .int64(.max), .int64(.min), .int64(9_007_199_254_740_993), .double(0x1p53),
    .double(-0.0), .double(0.5), .double(-0x1p63), .double(0x1p63), .double(1e300),
  ]
  static let places = [place(90, 0), place(90, 77), place(0, 180), place(0, -180), place(-45, 10)]

  static func scalar(_ seeded: inout SeededRandom) -> FieldValue {
    switch seeded.next(below: 6) {
    case 0: .string(seeded.pick(texts))
    case 1, 2: seeded.pick(numbers)
    case 3: .timestamp(seeded.pick([-1, 0, 253_402_300_799_999]))
    case 4: pointer(seeded.pick(texts))
    default: seeded.pick(places)
    }
  }

  static func value(_ seeded: inout SeededRandom) -> FieldValue {
    guard seeded.next(below: 3) == 0 else { return scalar(&seeded) }
    let first = scalar(&seeded)
    var elements: [FieldValue] = []
    for _ in 0..<seeded.next(below: 4) {
      let other = scalar(&seeded)
      elements.append(other.type == first.type ? other : first)
    }
    return .list(elements, of: first.type)
  }

  static func filter(_ seeded: inout SeededRandom) -> Filter {
    let field = FieldName.field(seeded.pick(["f", "g"]))
    return Filter(
      seeded.pick(Comparator.allCases), field, value(&seeded),
      distance: Double(seeded.next(below: 99)))
  }

  static func record(_ seeded: inout SeededRandom, _ number: Int) -> Record {
    var fields: [String: FieldValue] = [:]
    for name in ["f", "g"] where seeded.next(below: 4) > 0 { fields[name] = value(&seeded) }
    let name = "r\(number % 7)"
    return BrumePredicateTests.record(fields, name: name, zone: "z\(number)")
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `records that meet p, meet NOT p, and are unknown make all records`(seed: UInt64) {
    var seeded = SeededRandom(seed: seed)
    let records = (0..<50).map { Self.record(&seeded, $0) }
    for _ in 0..<1000 {
      let filter = Self.filter(&seeded)
      guard let opposite = filter.comparator.negated else { continue }
      var negated = filter
      negated.comparator = opposite
      let answers = records.map { answer(filter, $0) }
      #expect(records.map { answer(negated, $0) } == answers.map { $0.map(!) })
      #expect(opposite.negated == filter.comparator)
    }
  }

  @Test(arguments: [5, 6] as [UInt64])
  func `filters may change places, repeat, and stand for each other under one key`(seed: UInt64) {
    var seeded = SeededRandom(seed: seed)
    let records = (0..<50).map { Self.record(&seeded, $0) }
    func rows(_ filters: [Filter]) -> [Bool] {
      records.map { Evaluate.matches(filters, $0, searchable: { _ in true }) }
    }
    var seen: [String: [Bool]] = [:]
    for _ in 0..<2000 {
      let filters = (0..<seeded.next(below: 4)).map { _ in Self.filter(&seeded) }
      let found = rows(filters)
      let other = filters.shuffled(using: &seeded) + filters.prefix(1)
      #expect(rows(other) == found)
      let key = Canonical.key(filters)
      #expect(Canonical.key(other) == key)
      #expect(seen[key, default: found] == found)
      seen[key] = found
    }
  }

  @Test(arguments: [7, 8] as [UInt64])
  func `sorting gives one order, whatever the order before`(seed: UInt64) {
    var seeded = SeededRandom(seed: seed)
    let records = (0..<60).map { Self.record(&seeded, $0) }
    let centre = Location(latitude: 10, longitude: 20)
    let choices = [
      Sort(.field("f")), Sort(.field("g"), ascending: false), Sort(.system(.recordName)),
      Sort(.field("f"), relativeLocation: centre), Sort(.system(.createdTimestamp)),
    ]
    for _ in 0..<40 {
      let sorts = (0..<seeded.next(below: 4)).map { _ in seeded.pick(choices) }
      let sorted = records.sorted { Evaluate.precedes($0, $1, sorts) }
      let again = records.shuffled(using: &seeded).sorted { Evaluate.precedes($0, $1, sorts) }
      #expect(sorted == again)
      for (first, second) in zip(sorted, sorted.dropFirst()) {
        #expect(Evaluate.precedes(first, second, sorts))
        #expect(!Evaluate.precedes(second, first, sorts))
      }
    }
  }
}
