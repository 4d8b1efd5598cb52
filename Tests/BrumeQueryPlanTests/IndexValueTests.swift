// Keys sort as the values do: what `Order.of` says of two values is what their bytes say.

import BrumeModel
import BrumePredicate
import BrumeQueryPlan
import BrumeTestKit
import Testing

struct IndexValueTests {
  static let odd: Int64 = 9_007_199_254_740_993  // 2^53 + 1

  /// Values of one kind, in order; none equal to its neighbour.
  static let ascending: [[FieldValue]] = [
    [
      .double(-.infinity), .double(-1e300), .int64(.min), .int64(.min + 1), .int64(-odd - 1),
      .int64(-odd), .int64(-2), .double(-1.5), .int64(-1), .double(-0.5),
      .double(-.leastNonzeroMagnitude), .int64(0), .double(.leastNonzeroMagnitude), .double(0.5),
      .int64(1), .int64(255), .int64(256), .double(256.25), .double(0x1p53), .int64(odd),
      .int64(odd + 1), .int64(.max - 1), .int64(.max), .double(0x1p63), .double(1e300),
      .double(.infinity),
    ],
    [
      .timestamp(-62_135_596_800_000), .timestamp(-1), .timestamp(0), .timestamp(1),
      .timestamp(1_700_000_000_000), .timestamp(253_402_300_799_999),
    ],
    [
      .string(""), .string("A"), .string("Z"), .string("a"), .string("a\u{1}"), .string("ab"),
      .string("cafe\u{301}"), .string("caf\u{e9}"), .string("\u{ffff}"), .string("\u{10000}"),
    ],
    [
      .reference(Reference(recordName: "a")), .reference(Reference(recordName: "a1")),
      .reference(Reference(recordName: "b")), .reference(Reference(recordName: "é")),
    ],
  ]

  @Test(arguments: ascending)
  func `keys sort as the values do:`(values: [FieldValue]) throws {
    for (i, a) in values.enumerated() {
      for (j, b) in values.enumerated() {
        #expect(Order.of(a, b) == Order.exact(i, j), "\(a) and \(b)")
        #expect(try order(a, b) == Order.exact(i, j), "\(a) and \(b)")
      }
    }
  }

  @Test func `numbers by chance sort as they do`() throws {
    var random = SeededRandom(seed: 20_261_203)
    func number() -> FieldValue {
      let bits = random.next() >> UInt64(random.next(below: 64))
      let whole = Int64(truncatingIfNeeded: random.one(in: 2) ? bits : ~bits)
      let double = random.one(in: 2) ? Double(whole) : Double(bitPattern: random.next())
      return random.one(in: 2) || double.isNaN ? .int64(whole) : .double(double)
    }
    for _ in 0..<20_000 {
      let (a, b) = (number(), number())
      #expect(try order(a, b) == Order.of(a, b), "\(a) and \(b)")
    }
  }

  @Test(arguments: [
    (FieldValue.double(-0.0), FieldValue.double(0)), (.double(-0.0), .int64(0)),
    (.int64(5), .double(5)), (.int64(.min), .double(-0x1p63)),
    (.int64(odd - 1), .double(0x1p53)), (.timestamp(5), .timestamp(5, exact: 7.25)),
  ])
  func `equal values have one key:`(a: FieldValue, b: FieldValue) throws {
    #expect(Order.of(a, b) == .same)
    #expect(try bytes(a) == bytes(b))
  }

  @Test func `what no key stands for is not in the index`() {
    let values: [FieldValue] = [
      .double(.nan), .bytes([1]), .asset(Asset(fileChecksum: "a", size: 1)),
      .list([.int64(1)], of: .int64), .location(Location(latitude: 91, longitude: 0)),
    ]
    for value in values { #expect(value.indexed == nil, "\(value)") }
  }

  @Test func `of a long text the key has the first 128 bytes, even if they end in a character`()
    throws
  {
    let text = String(repeating: "é", count: 63) + "aé"  // 129 bytes
    let (kind, value) = try #require(FieldValue.string(text).indexed)
    #expect(kind == .text)
    #expect(value == .cut(Array(text.utf8.prefix(128))))
    #expect(value.orderedBytes.count == 128)
    #expect(FieldValue.string(String(text.dropLast())).indexed?.value.isCut == false)
    // Its place among other texts is still right, or that of what begins alike.
    #expect(try order(.string(text), .string("z")) == .after)
    #expect(try order(.string(text), .string(text + "more")) == .same)
  }

  @Test func `all that begin with a text lie in one range of keys`() throws {
    let filter = Filter(.beginsWith, .field("s"), .string("né"))
    let range = try #require(IndexCondition.all(filter, in: .sample()).first?.ranges[.text])
    guard case .between(let lower?, let upper?) = range else {
      Issue.record("\(range) has no ends")
      return
    }
    #expect(lower.isIncluded && !upper.isIncluded)
    let texts = ["n", "ne\u{301}", "né", "né\u{10ffff}", "nép", "nê", "o"]
    let found = try texts.filter {
      let key = try bytes(.string($0))
      return compare(lower.value.orderedBytes, key) != .after
        && compare(key, upper.value.orderedBytes) == .before
    }
    #expect(found == ["né", "né\u{10ffff}", "nép"])
  }

  @Test func `a place near another has a key in one of the ranges`() throws {
    let centre = Location(latitude: 59.9139, longitude: 10.7522)
    let filter = Filter(.near, .field("p"), .location(centre), distance: 5000)
    let range = try #require(IndexCondition.all(filter, in: .sample()).first?.ranges[.place])
    guard case .within(let ranges) = range else {
      Issue.record("\(range) is not a list of ranges")
      return
    }
    func isFound(_ latitude: Double, _ longitude: Double) throws -> Bool {
      let place = FieldValue.location(Location(latitude: latitude, longitude: longitude))
      let (kind, value) = try #require(place.indexed)
      guard kind == .place, case .int(let number) = value else { return false }
      return ranges.contains { $0.contains(number) }
    }
    #expect(try isFound(59.9139, 10.7522) && isFound(59.9555, 10.7522) && isFound(59.9, 10.8))
    #expect(try !isFound(63.4305, 10.3951) && !isFound(-59.9139, 10.7522))
  }

  private func bytes(_ value: FieldValue) throws -> [UInt8] {
    try #require(value.indexed).value.orderedBytes
  }

  private func order(_ a: FieldValue, _ b: FieldValue) throws -> Order {
    compare(try bytes(a), try bytes(b))
  }

  private func compare(_ a: [UInt8], _ b: [UInt8]) -> Order {
    a == b ? .same : a.lexicographicallyPrecedes(b) ? .before : .after
  }
}
