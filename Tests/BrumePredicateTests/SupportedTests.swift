// What CloudKit's predicates become on the wire. One row for every line of the documented table.

import BrumeModel
import BrumePredicate
import Testing

struct SupportedTests {
  static let ada = PredicateArgument.value(pointer("ada"))
  static let oslo = PredicateArgument.value(place(59.91, 10.75))

  struct Row: Sendable, CustomTestStringConvertible {
    let format: String
    let arguments: [PredicateArgument]
    let filters: [Filter]
    init(_ format: String, _ arguments: [PredicateArgument] = [], _ filters: Filter...) {
      self.format = format
      self.arguments = arguments
      self.filters = filters
    }
    var testDescription: String { format }
  }

  static let title = FieldName.field("title")
  static let tags = FieldName.field("tags")
  static let km = FieldName.field("km")
  static let nothing = Filter(.in, .system(.recordName), .list([], of: .reference))

  static let comparisons: [Row] = [
    Row("TRUEPREDICATE"),
    Row("truepredicate AND TruePredicate"),
    Row("FALSEPREDICATE", [], nothing),
    Row("title = 'a'", [], Filter(.equals, title, .string("a"))),
    Row("title == \"a\"", [], Filter(.equals, title, .string("a"))),
    Row("title != 'a'", [], Filter(.notEquals, title, .string("a"))),
    Row("title <> 'a'", [], Filter(.notEquals, title, .string("a"))),
    Row("km < 5", [], Filter(.lessThan, km, .int64(5))),
    Row("km <= 5", [], Filter(.lessThanOrEquals, km, .int64(5))),
    Row("km =< 5", [], Filter(.lessThanOrEquals, km, .int64(5))),
    Row("km > 5.5", [], Filter(.greaterThan, km, .double(5.5))),
    Row("km >= -5", [], Filter(.greaterThanOrEquals, km, .int64(-5))),
    Row("km => 5", [], Filter(.greaterThanOrEquals, km, .int64(5))),
    Row("5 < km", [], Filter(.greaterThan, km, .int64(5))),
    Row("5 >= km", [], Filter(.lessThanOrEquals, km, .int64(5))),
    Row("'a' == title", [], Filter(.equals, title, .string("a"))),
    Row("SELF.title == 'a'", [], Filter(.equals, title, .string("a"))),
    Row(
      "%K == %@", [.keyPath("title"), .value(.string("a"))], Filter(.equals, title, .string("a"))),
    Row("%K == %@", [.value(.string("title")), ada], Filter(.equals, title, pointer("ada"))),
    Row("done == YES", [], Filter(.equals, .field("done"), .int64(1))),
    Row("done == FALSE", [], Filter(.equals, .field("done"), .int64(0))),
    Row("title BEGINSWITH 'a'", [], Filter(.beginsWith, title, .string("a"))),
    Row("when == %@", [.value(.timestamp(7))], Filter(.equals, .field("when"), .timestamp(7))),
    Row(
      "km BETWEEN {1, 9.5}", [], Filter(.greaterThanOrEquals, km, .int64(1)),
      Filter(.lessThanOrEquals, km, .double(9.5))),
    Row(
      "km BETWEEN %@", [.list([.value(.int64(1)), .value(.int64(9))])],
      Filter(.greaterThanOrEquals, km, .int64(1)), Filter(.lessThanOrEquals, km, .int64(9))),
    Row("title IN {'a', 'b'}", [], Filter(.in, title, texts("a", "b"))),
    Row("title IN %@", [.value(texts("a", "b"))], Filter(.in, title, texts("a", "b"))),
    Row("km IN {}", [], Filter(.in, km, .list([], of: nil))),
    Row(
      "km IN {1, 2.5}", [], Filter(.in, km, .list([.int64(1), .double(2.5)], of: .double))),
    Row("{'a', 'b'} CONTAINS title", [], Filter(.in, title, texts("a", "b"))),
  ]

  static let lists: [Row] = [
    Row("tags CONTAINS 'Swift'", [], Filter(.listContains, tags, .string("Swift"))),
    Row("'Swift' IN tags", [], Filter(.listContains, tags, .string("Swift"))),
    Row("ANY tags == 'Swift'", [], Filter(.listContains, tags, .string("Swift"))),
    Row("SOME tags = 'Swift'", [], Filter(.listContains, tags, .string("Swift"))),
    Row("ANY tags IN {'a', 'b'}", [], Filter(.listContainsAny, tags, texts("a", "b"))),
    Row("any {'a', 'b'} in tags", [], Filter(.listContainsAny, tags, texts("a", "b"))),
    Row("SOME tags CONTAINS {'a'}", [], Filter(.listContainsAny, tags, texts("a"))),
    Row("ANY tags CONTAINS 'a'", [], Filter(.listContains, tags, .string("a"))),
    Row("ANY tags BEGINSWITH 'a'", [], Filter(.listMemberBeginsWith, tags, .string("a"))),
    Row("ALL {'a', 'b'} IN tags", [], Filter(.listContainsAll, tags, texts("a", "b"))),
    Row("ALL %@ IN tags", [.value(texts("a"))], Filter(.listContainsAll, tags, texts("a"))),
    Row("NONE tags == 'a'", [], Filter(.notListContains, tags, .string("a"))),
    Row("NONE tags IN {'a'}", [], Filter(.notListContainsAny, tags, texts("a"))),
    Row("NOT ALL {'a'} IN tags", [], Filter(.notListContainsAll, tags, texts("a"))),
    Row("NOT ANY tags BEGINSWITH 'a'", [], Filter(.notListMemberBeginsWith, tags, .string("a"))),
  ]

  static let combinations: [Row] = [
    Row(
      "title == 'a' AND km > 5", [], Filter(.equals, title, .string("a")),
      Filter(.greaterThan, km, .int64(5))),
    Row(
      "title == 'a' && (km > 5 and (tags CONTAINS 'x'))", [], Filter(.equals, title, .string("a")),
      Filter(.greaterThan, km, .int64(5)), Filter(.listContains, tags, .string("x"))),
    Row("NOT title == 'a'", [], Filter(.notEquals, title, .string("a"))),
    Row("!(title == 'a')", [], Filter(.notEquals, title, .string("a"))),
    Row("NOT (title != 'a')", [], Filter(.equals, title, .string("a"))),
    Row("NOT km < 5", [], Filter(.greaterThanOrEquals, km, .int64(5))),
    Row("NOT (title IN {'a'})", [], Filter(.notIn, title, texts("a"))),
    Row("NOT (tags CONTAINS 'a')", [], Filter(.notListContains, tags, .string("a"))),
    Row("NOT (title BEGINSWITH 'a')", [], Filter(.notBeginsWith, title, .string("a"))),
    Row(
      "km > 5 AND NOT title == 'a' AND TRUEPREDICATE", [], Filter(.greaterThan, km, .int64(5)),
      Filter(.notEquals, title, .string("a"))),
    Row("(TRUEPREDICATE)"),
  ]

  static let searches: [Row] = [
    Row("self CONTAINS 'word'", [], Filter(.containsAnyTokens, nil, .string("word"))),
    Row("SELF contains[cd] 'word'", [], Filter(.containsAnyTokens, nil, .string("word"))),
    Row(
      "self CONTAINS 'a' AND self CONTAINS 'b'", [], Filter(.containsAnyTokens, nil, .string("a")),
      Filter(.containsAnyTokens, nil, .string("b"))),
    Row(
      "ANY tokenize(%@, 'Cdl') IN self.allTokens", [.value(.string("a b"))],
      Filter(.containsAnyTokens, nil, .string("a b"))),
    Row(
      "ALL tokenize('a b', 'Cdl') IN SELF.allTokens", [],
      Filter(.containsAllTokens, nil, .string("a b"))),
    Row(
      "ALL tokenize:using:('a b', 'Cdl') IN allTokens", [],
      Filter(.containsAllTokens, nil, .string("a b"))),
    Row(
      "self.allTokens TOKENMATCHES[cdl] 'a b'", [],
      Filter(.containsAnyTokens, nil, .string("a b"))),
    Row(
      "ALL self.allTokens TOKENMATCHES[cdl] %@", [.value(.string("a b"))],
      Filter(.containsAllTokens, nil, .string("a b"))),
  ]

  static let distances: [Row] = [
    Row(
      "distanceToLocation:fromLocation:(start, %@) < 500", [oslo],
      Filter(.near, .field("start"), place(59.91, 10.75), distance: 500)),
    Row(
      "distanceToLocation:fromLocation:(%K, %@) <= %f",
      [.keyPath("start"), oslo, .value(.double(0.5))],
      Filter(.near, .field("start"), place(59.91, 10.75), distance: 0.5)),
    Row(
      "500 > distanceToLocation:fromLocation:(%@, start)", [oslo],
      Filter(.near, .field("start"), place(59.91, 10.75), distance: 500)),
  ]

  static let systemFields: [Row] = [
    Row("recordID == %@", [ada], Filter(.equals, .system(.recordName), pointer("ada"))),
    Row("___recordID IN %@", [.list([ada])], systemIn),
    Row("creationDate < %@", [.value(.timestamp(5))], created),
    Row("___createTime < %@", [.value(.timestamp(5))], created),
    Row(
      "modificationDate > %@", [.value(.timestamp(5))],
      Filter(.greaterThan, .system(.modifiedTimestamp), .timestamp(5))),
    Row(
      "creatorUserRecordID = %@", [ada],
      Filter(.equals, .system(.createdUserRecordName), pointer("ada"))),
    Row(
      "lastModifiedUserRecordID = %@", [ada],
      Filter(.equals, .system(.modifiedUserRecordName), pointer("ada"))),
    Row("___parent == %@", [ada], Filter(.equals, .system(.parent), pointer("ada"))),
    Row("___parent == nil", [], Filter(.equals, .system(.parent), .string(""))),
    Row("NULL != ___share", [], Filter(.notEquals, .system(.share), .string(""))),
    Row("NOT (___share == %@)", [.null], Filter(.notEquals, .system(.share), .string(""))),
    Row("parent == %@", [ada], Filter(.equals, .field("parent"), pointer("ada"))),
  ]
  static let created = Filter(.lessThan, .system(.createdTimestamp), .timestamp(5))
  static let systemIn = Filter(
    .in, .system(.recordName), .list([pointer("ada")], of: .reference))

  @Test(arguments: comparisons + lists + combinations + searches + distances + systemFields)
  func `a supported predicate becomes filters`(row: Row) throws {
    let predicate = try Predicate(format: row.format, arguments: row.arguments)
    #expect(try predicate.filters() == row.filters)
  }

  @Test func `now() is the time of the query, and has no meaning in a subscription`() throws {
    let predicate = try parse("when <= now()")
    let expected = Filter(.lessThanOrEquals, .field("when"), .timestamp(77))
    #expect(try predicate.filters(now: 77) == [expected])
    #expect(refusal("when <= now()").contains("now() in a subscription"))
  }

  @Test(arguments: [
    ("a == 1 OR b == 2", "OR", "only AND combines"),
    ("a == 1 || b == 2", "OR", "IN"),
    ("NOT (a == 1 AND b == 2)", "NOT around anything but one comparison", "single comparison"),
    ("NOT NOT a == 1", "NOT", "single comparison"),
    ("NOT TRUEPREDICATE", "NOT", "single comparison"),
    ("NOT (a BETWEEN {1, 2})", "NOT around 'a BETWEEN {…}'", "opposite"),
    ("NOT (self CONTAINS 'x')", "NOT around 'SELF CONTAINS constant'", "filter the results"),
    ("a ENDSWITH 'x'", "ENDSWITH", "BEGINSWITH"),
    ("a LIKE 'x*'", "LIKE", "self CONTAINS"),
    ("a MATCHES 'x.*'", "MATCHES", "self CONTAINS"),
    ("a ==[c] 'x'", "[c]", "lower-case"),
    ("a BEGINSWITH[cd] 'x'", "[cd]", "lower-case"),
    ("a CONTAINS[c] 'x'", "[c]", "lower-case"),
    ("self CONTAINS[n] 'x'", "[n]", "never regards case"),
    ("a.b == 1", "key path 'a.b'", "of the record itself"),
    ("tags.@count == 1", "key path", "of the record itself"),
    ("@count == 1", "key '@count'", "of the record itself"),
    ("a == nil", "nil", "___parent and ___share"),
    ("parent == nil", "nil", "___parent"),
    ("a < nil", "nil", "___parent"),
    ("a IN {1, nil}", "nil", "___parent"),
    ("a == b", "comparing two fields", "constant"),
    ("1 == 2", "names no field", "constant"),
    ("SELF == 'x'", "names no field", "constant"),
    ("a IN {1, 'x'}", "different types", "field's own type"),
    ("a IN {1, {2}}", "list", "whole list"),
    ("a == {1, 2}", "whole list", "IN"),
    ("a CONTAINS {1, 2}", "whole list", "ANY"),
    ("a IN 5", "single constant", "list"),
    ("a BETWEEN {1}", "two constants", "{low, high}"),
    ("a BETWEEN 1", "two constants", "{low, high}"),
    ("a BETWEEN {'a', 'b'}", "BETWEEN with texts", ">="),
    ("{1, 2} BETWEEN a", "BETWEEN", "to the left"),
    ("'abc' BEGINSWITH a", "BEGINSWITH", "to the left"),
    ("a BEGINSWITH 5", "not a text", "text"),
    ("ALL a == 5", "ALL with ==", "ALL %@ IN listField"),
    ("ALL a IN {5}", "ALL with IN", "ALL %@ IN listField"),
    ("ANY a < 5", "ANY with <", "ANY goes with"),
    ("a + 1 == 5", "calculation '+'", "compute the value first"),
    ("a == 1 + 2", "calculation '+'", "compute the value first"),
    ("uppercase(a) == 'X'", "'uppercase'", "compute the value first"),
    ("a == random()", "'random'", "compute the value first"),
    ("recordType == 'x'", "recordType", "creationDate"),
    ("___etag == 'x'", "___etag", "recordID"),
    ("a TOKENMATCHES[cdl] 'x'", "TOKENMATCHES on one field", "self CONTAINS"),
  ])
  func `what CloudKit lacks is refused with a way out`(row: (String, String, String)) {
    let reason = refusal(row.0)
    #expect(reason.contains(row.1))
    #expect(reason.contains(row.2))
  }

  @Test(arguments: [">", ">=", "==", "!="])
  func `a distance is a circle only`(sign: String) {
    let reason = refusal("distanceToLocation:fromLocation:(start, %@) \(sign) 5", Self.oslo)
    #expect(reason.contains("outside a circle"))
  }

  @Test(arguments: [
    "distanceToLocation:fromLocation:(start, %@) < -1",
    "distanceToLocation:fromLocation:(start, %@) < 'far'",
    "distanceToLocation:fromLocation:(start, start, %@) < 1",
    "NOT (distanceToLocation:fromLocation:(start, %@) < 1)",
    "ANY distanceToLocation:fromLocation:(start, %@) < 1",
    "distanceToLocation:fromLocation:(a.b, %@) < 1",
    "start < %@",
  ])
  func `a distance of another shape is refused`(format: String) {
    #expect(refusal(format, Self.oslo).contains("not supported"))
  }

  @Test func `bytes, files and numbers that are none are refused`() {
    let asset = FieldValue.asset(Asset(fileChecksum: "x", size: 1))
    #expect(refusal("a == %@", .value(.bytes([1]))).contains("not searchable"))
    #expect(refusal("a == %@", .value(asset)).contains("not searchable"))
    #expect(refusal("a == %@", .value(.double(.nan))).contains("not finite"))
  }
}
