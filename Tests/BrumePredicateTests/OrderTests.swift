// Sorting, distances, words, and the canonical key.

import BrumeModel
import BrumePredicate
import Testing

struct OrderTests {
  private func names(_ records: [Record], _ sorts: Sort...) -> [String] {
    records.sorted { Evaluate.precedes($0, $1, sorts) }.map(\.name)
  }

  @Test func `missing values come first, and last when the order is turned`() {
    let records = [
      record(["n": .int64(2)], name: "two"), record(name: "none"),
      record(["n": .double(1.5)], name: "one and a half"),
      record(["n": .int64(9)], name: "hidden", encrypted: ["n"]),
    ]
    #expect(names(records, Sort(.field("n"))) == ["hidden", "none", "one and a half", "two"])
    #expect(
      names(records, Sort(.field("n"), ascending: false)) == [
        "two", "one and a half", "hidden", "none",
      ])
  }

  @Test func `ties are broken by zone, then record name, in either direction`() {
    let records = [
      record(name: "b", zone: "Z"), record(name: "a", zone: "Z"), record(name: "c", zone: "A"),
    ]
    #expect(names(records) == ["c", "a", "b"])
    #expect(names(records, Sort(.field("n"), ascending: false)) == ["c", "a", "b"])
  }

  @Test func `a later sort decides among equals of an earlier one`() {
    let records = [
      record(["a": .int64(1), "b": .string("x")], name: "1x"),
      record(["a": .int64(0), "b": .string("y")], name: "0y"),
      record(["a": .int64(1), "b": .string("a")], name: "1a"),
    ]
    #expect(
      names(records, Sort(.field("a"), ascending: false), Sort(.field("b"))) == ["1a", "1x", "0y"])
  }

  @Test func `QRY-16 sorting by distance puts the nearest first, across the antimeridian`() {
    let records = [
      record(["p": place(0, 170)], name: "west"), record(["p": place(0, -175)], name: "east"),
      record(["p": place(0, 0)], name: "far"),
    ]
    let here = Location(latitude: 0, longitude: 179)
    #expect(
      names(records, Sort(.field("p"), relativeLocation: here)) == ["east", "west", "far"])
  }

  @Test(arguments: [
    (place(59.9139, 10.7522), place(63.4305, 10.3951), 391_500.0),  // Oslo, Trondheim
    (place(0, 179.5), place(0, -179.5), 111_195.0),
    (place(90, 0), place(90, 123), 0.0),
    (place(-90, 5), place(90, -5), 20_015_115.0),
    (place(0, 0), place(0, 180), 20_015_115.0),
    (place(48, 11), place(48, 11), 0.0),
  ])
  func `a distance is the great circle's`(row: (FieldValue, FieldValue, Double)) throws {
    guard case .location(let a) = row.0, case .location(let b) = row.1 else { return }
    let there = try #require(a.distance(to: b))
    #expect(abs(there - row.2) <= 600)
    #expect(try #require(b.distance(to: a)) == there)
  }

  @Test func `near includes the circle itself and refuses what is no number`() {
    let here = record(["p": place(48, 11)])
    func near(_ value: FieldValue, _ metres: Double?) -> Bool? {
      answer(Filter(.near, .field("p"), value, distance: metres), here)
    }
    #expect(near(place(48, 11), 0) == true)
    #expect(near(place(48, 11.01), 1000) == true)
    #expect(near(place(48, 11.01), 500) == false)
    #expect(near(place(48, 11), nil) == nil)
    #expect(near(place(.nan, 11), 5) == nil)
  }
}

struct TokensTests {
  static let rows: [(String, Set<String>)] = [
    ("Größe STRASSE straße", ["grosse", "strasse"]),
    ("Éte\u{301} café CAFE\u{301}", ["ete", "cafe"]),
    ("Ελλάδα ΕΛΛΆΔΑ σοφός ΣΟΦΌΣ", ["ελλαδα", "σοφοσ"]),
    ("Ёлка елка Й и\u{306}", ["елка", "и"]),
    ("one,two;three-four 5km", ["one", "two", "three", "four", "5km"]),
    ("The cat and the hat", ["cat", "hat"]),
    ("日本 東京", ["日本", "東京"]),
    ("ﬁne İstanbul", ["fine", "istanbul"]),
    ("", []), (" ,.!? ", []),
  ]

  @Test(arguments: rows)
  func `words are letters and digits without case, accents and stop words`(
    row: (String, Set<String>)
  ) {
    #expect(Tokens.of(row.0) == row.1)
  }

  @Test func `composed and decomposed spellings are equal words`() {
    #expect(Tokens.of("\u{ac00}") == Tokens.of("\u{1100}\u{1161}"))
  }
}

struct CanonicalTests {
  private func key(_ format: String, _ arguments: PredicateArgument...) throws -> String {
    Canonical.key(try Predicate(format: format, arguments: arguments).filters())
  }

  @Test(arguments: [
    ("a == 1 AND b == 'x'", "b == 'x' && a == 1.0"),
    ("a IN {1, 2, 2}", "a IN {2, 1}"),
    ("a IN {5}", "a == 5"),
    ("tags CONTAINS 'x'", "ANY tags IN {'x'}"),
    ("a BETWEEN {1, 5}", "5 >= a AND a >= 1"),
    ("NOT a < 5", "a >= 5"),
    ("self CONTAINS 'Cafe the'", "self CONTAINS 'café'"),
    ("TRUEPREDICATE", "TRUEPREDICATE AND TRUEPREDICATE"),
    ("recordID == 'x'", "___recordID IN {'x'}"),
  ])
  func `conditions of equal meaning have the same key`(row: (String, String)) throws {
    #expect(try key(row.0) == key(row.1))
  }

  @Test(arguments: [
    ("a == 1", "a == '1'"), ("a == 1", "b == 1"), ("a == 1", "a != 1"),
    ("a == 'caf\u{e9}'", "a == 'cafe\u{301}'"), ("a == 'x'", "a == 'X'"),
    ("a == 9007199254740993", "a == 9007199254740992.0"), ("a IN {1, 2}", "a IN {1}"),
    ("a == 'x\"'", "a == 'x'"), ("a < 5", "a <= 5"), ("a == ''", "a == ' '"),
    ("a == 'x' AND b == 'y'", "a == 'x'"),
  ])
  func `conditions of other meaning have another key`(row: (String, String)) throws {
    #expect(try key(row.0) != key(row.1))
  }

  @Test(arguments: [SystemField.parent, .share])
  func `an empty name in a list is not the question whether there is any`(field: SystemField) {
    let none = FieldValue.string("")
    for (one, list) in [(Comparator.equals, Comparator.in), (.notEquals, .notIn)] {
      let question = Filter(one, .system(field), none)
      let name = Filter(list, .system(field), .list([none], of: .string))
      #expect(Canonical.key([question]) != Canonical.key([name]))
    }
  }

  @Test func `a reference's action and zone are no part of a condition`() throws {
    let other = Reference(recordName: "x", zone: ZoneID(name: "Z"), action: .deleteSelf)
    #expect(try key("a == %@", .value(pointer("x"))) == key("a == %@", .value(.reference(other))))
    #expect(try key("a == %@", .value(pointer("x"))) != key("a == 'x'"))
  }
}
