// Every comparator on every type that it applies to, and the values that go wrong elsewhere.

import BrumeModel
import BrumePredicate
import Testing

struct EvaluateTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let value: FieldValue
    let comparator: Comparator
    let constant: FieldValue
    let expected: Bool?
    init(_ value: FieldValue, _ comparator: Comparator, _ constant: FieldValue, _ expected: Bool?) {
      self.value = value
      self.comparator = comparator
      self.constant = constant
      self.expected = expected
    }
    var testDescription: String { "\(value) \(comparator.rawValue) \(constant)" }
    /// The same question with the opposite comparator has the opposite answer.
    var negated: Row? {
      comparator.negated.map { Row(value, $0, constant, expected.map(!)) }
    }
  }

  static let nfc = FieldValue.string("caf\u{e9}")
  static let nfd = FieldValue.string("cafe\u{301}")
  static let odd: Int64 = 9_007_199_254_740_993  // 2^53 + 1

  static let scalars: [Row] = [
    Row(.string("a"), .equals, .string("a"), true),
    Row(.string("a"), .equals, .string("A"), false),
    Row(nfc, .equals, nfd, false),
    Row(nfd, .equals, nfd, true),
    Row(.string(""), .equals, .string(""), true),
    Row(.string("Z"), .lessThan, .string("a"), true),
    Row(nfd, .lessThan, nfc, true),
    Row(.string("\u{ffff}"), .lessThan, .string("\u{10000}"), true),
    Row(.string("a"), .lessThan, .string("ab"), true),
    Row(.string("a"), .lessThanOrEquals, .string("a"), true),
    Row(.int64(5), .equals, .int64(5), true),
    Row(.int64(5), .equals, .double(5), true),
    Row(.double(5), .equals, .int64(5), true),
    Row(.double(-0.0), .equals, .double(0), true),
    Row(.double(-0.0), .lessThan, .int64(0), false),
    Row(.int64(odd), .equals, .double(0x1p53), false),
    Row(.int64(odd), .greaterThan, .double(0x1p53), true),
    Row(.double(0x1p53), .lessThan, .int64(odd), true),
    Row(.int64(.max), .lessThan, .double(0x1p63), true),
    Row(.int64(.min), .equals, .double(-0x1p63), true),
    Row(.int64(-1), .lessThan, .double(-0.5), true),
    Row(.int64(0), .greaterThan, .double(-0.5), true),
    Row(.double(1e300), .greaterThan, .int64(.max), true),
    Row(.double(-1e300), .lessThan, .int64(.min), true),
    Row(.double(.nan), .equals, .double(.nan), nil),
    Row(.timestamp(-62_135_596_800_000), .lessThan, .timestamp(0), true),
    Row(.timestamp(253_402_300_799_999), .greaterThan, .timestamp(0), true),
    Row(.timestamp(5), .equals, .timestamp(5), true),
    Row(.timestamp(5), .equals, .int64(5), nil),
    Row(.int64(5), .equals, .string("5"), nil),
    Row(.string("5"), .lessThan, .int64(6), nil),
    Row(.bytes([1]), .equals, .bytes([1]), nil),
    Row(.asset(Asset(fileChecksum: "a", size: 1)), .equals, .string("a"), nil),
    Row(texts("a"), .equals, texts("a"), nil),
    Row(place(1, 2), .equals, place(1, 2), true),
    Row(place(1, 2), .equals, place(1, 3), false),
    Row(place(1, 2), .lessThan, place(1, 3), nil),
    Row(pointer("a"), .equals, .string("a"), true),
    Row(pointer("a"), .lessThan, pointer("b"), nil),
    Row(.string("abc"), .beginsWith, .string("ab"), true),
    Row(.string("abc"), .beginsWith, .string(""), true),
    Row(.string("abc"), .beginsWith, .string("AB"), false),
    Row(.string("ab"), .beginsWith, .string("abc"), false),
    Row(nfd, .beginsWith, .string("cafe"), true),
    Row(.int64(12), .beginsWith, .string("1"), nil),
    Row(.string("a"), .in, texts("b", "a"), true),
    Row(.string("a"), .in, texts(), false),
    Row(.string("a"), .in, .list([], of: nil), false),
    Row(.string("a"), .in, .string("a"), nil),
    Row(.int64(odd), .in, .list([.double(0x1p53)], of: .double), false),
    Row(pointer("a"), .in, .list([pointer("a")], of: .reference), true),
    Row(texts("a"), .in, texts("a"), nil),
  ]

  static let lists: [Row] = [
    Row(texts("a", "b"), .listContains, .string("b"), true),
    Row(texts("a", "b"), .listContains, .string("B"), false),
    Row(texts(), .listContains, .string("a"), false),
    Row(.string("a"), .listContains, .string("a"), nil),
    Row(integers(1, odd), .listContains, .double(0x1p53), false),
    Row(texts("a", "b"), .listContainsAny, texts("x", "b"), true),
    Row(texts("a", "b"), .listContainsAny, texts("x"), false),
    Row(texts("a", "b"), .listContainsAny, texts(), false),
    Row(texts("a", "b"), .listContainsAll, texts("b", "a", "b"), true),
    Row(texts("a", "b"), .listContainsAll, texts("a", "x"), false),
    Row(texts("a"), .listContainsAll, texts(), true),
    Row(texts(), .listContainsAll, texts("a"), false),
    Row(texts("abc", "x"), .listMemberBeginsWith, .string("ab"), true),
    Row(texts("abc", "x"), .listMemberBeginsWith, .string("b"), false),
    Row(integers(1), .listMemberBeginsWith, .string("1"), nil),
    Row(.list([pointer("a")], of: .reference), .listContains, pointer("a"), true),
    Row(.list([.timestamp(5)], of: .timestamp), .listContains, .timestamp(5), true),
    Row(.list([place(1, 2)], of: .location), .listContains, place(1, 2), true),
    Row(.string("The Ridge Walk"), .containsAnyTokens, .string("walk hill"), true),
    Row(.string("The Ridge Walk"), .containsAllTokens, .string("WALK ridge"), true),
    Row(.string("The Ridge Walk"), .containsAllTokens, .string("walk hill"), false),
    Row(.string("The Ridge Walk"), .containsAnyTokens, .string("rid"), false),
    Row(.string("The Ridge Walk"), .containsAnyTokens, .string("the"), false),
    Row(.string("The Ridge Walk"), .containsAllTokens, .string("the walk"), true),
    Row(.string("The Ridge Walk"), .containsAllTokens, .string(""), false),
    Row(texts("a hill", "b"), .containsAllTokens, .string("hill B"), true),
    Row(.int64(5), .containsAnyTokens, .string("5"), nil),
  ]

  @Test(arguments: scalars + lists)
  func `a comparator answers as documented, and its opposite the opposite`(row: Row) {
    let record = record(["f": row.value])
    #expect(answer(Filter(row.comparator, .field("f"), row.constant), record) == row.expected)
    if let negated = row.negated {
      let opposite = Filter(negated.comparator, .field("f"), negated.constant)
      #expect(answer(opposite, record) == negated.expected)
    }
  }

  @Test func `a reference is compared by name, whatever its action and zone`() {
    let stored = Reference(recordName: "a", zone: ZoneID(name: "Trails"), action: .deleteSelf)
    let record = record(["f": .reference(stored)])
    #expect(answer(Filter(.equals, .field("f"), pointer("a")), record) == true)
    #expect(answer(Filter(.notEquals, .field("f"), pointer("b")), record) == true)
  }

  @Test(arguments: Comparator.allCases)
  func `a missing or encrypted field meets no comparator`(comparator: Comparator) {
    let hidden = record(["f": .string("x")], encrypted: ["f"])
    for value in [FieldValue.string("x"), texts("x"), place(0, 0), .string("")] {
      let filter = Filter(comparator, .field("f"), value, distance: 1)
      #expect(answer(filter, record()) == nil)
      #expect(answer(filter, hidden) == nil)
      #expect(!Evaluate.matches([filter], record(), searchable: { _ in true }))
    }
  }

  @Test func `system fields can be asked`() {
    var child = record(name: "child")
    child.parent = "mother"
    let rows: [(SystemField, FieldValue)] = [
      (.recordName, pointer("child")), (.recordName, .string("child")),
      (.createdTimestamp, .timestamp(1000)), (.modifiedTimestamp, .timestamp(2000)),
      (.createdUserRecordName, pointer("_ann")), (.modifiedUserRecordName, .string("_bob")),
      (.parent, pointer("mother")),
    ]
    for (field, value) in rows {
      #expect(answer(Filter(.equals, .system(field), value), child) == true)
    }
    #expect(answer(Filter(.equals, .system(.share), pointer("s")), child) == nil)
  }

  @Test func `parent and share can be asked whether they are set`() throws {
    var child = record()
    child.parent = "mother"
    let isOrphan = try #require(try filters("___parent == nil").first)
    let isChild = try #require(try filters("___parent != nil").first)
    #expect(answer(isOrphan, child) == false)
    #expect(answer(isChild, child) == true)
    #expect(answer(isOrphan, record()) == true)
    #expect(answer(isChild, record()) == false)
  }

  @Test func `all filters must be met, and none is always met`() throws {
    let record = record(["a": .int64(1), "b": .int64(2)])
    let both = try filters("a == 1 AND b == 2")
    let one = try filters("a == 1 AND b == 3")
    #expect(Evaluate.matches(both, record, searchable: { _ in true }))
    #expect(!Evaluate.matches(one, record, searchable: { _ in true }))
    #expect(Evaluate.matches([], record, searchable: { _ in true }))
    #expect(!Evaluate.matches(try filters("FALSEPREDICATE"), record, searchable: { _ in true }))
  }

  @Test func `QRY-17 a search looks at searchable texts only, by whole words without case`() throws
  {
    let hike = record([
      "title": .string("Ridge Walk"), "notes": .string("steep"), "tags": texts("Été"),
    ])
    func finds(_ words: String, in fields: Set<String>) throws -> Bool {
      Evaluate.matches(
        try filters("self CONTAINS %@", .value(.string(words))), hike,
        searchable: fields.contains)
    }
    #expect(try finds("WALK", in: ["title", "notes"]))
    #expect(try finds("ete", in: ["tags"]))
    #expect(try finds("hill steep", in: ["title", "notes"]))
    #expect(try !finds("steep", in: ["title"]))
    #expect(try !finds("wal", in: ["title"]))
    #expect(try !finds("walk", in: []))
    let all = try filters("ALL tokenize('walk steep', 'Cdl') IN self.allTokens")
    #expect(Evaluate.matches(all, hike, searchable: { _ in true }))
  }
}
