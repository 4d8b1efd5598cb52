// Spelling and grammar of formats: texts, numbers, placeholders, priorities, limits, errors.

import BrumeModel
import BrumePredicate
import Testing

struct FormatParserTests {
  private func constant(_ text: String, _ arguments: PredicateArgument...) throws -> FieldValue? {
    let predicate = try Predicate(format: "a == " + text, arguments: arguments)
    guard case .comparison(let comparison) = predicate, case .constant(let value) = comparison.right
    else { return nil }
    return value
  }

  @Test(arguments: [
    (#"'it\'s'"#, "it's"), (#""a\"b""#, "a\"b"), (#"'a"b'"#, "a\"b"), (#"'\\'"#, "\\"),
    (#"'a\nb\tc\rd'"#, "a\nb\tc\rd"), (#"'\u00e9'"#, "é"), (#"'\ud83d\ude00'"#, "😀"),
    (#"'\x41'"#, "A"), ("'%@ %K AND'", "%@ %K AND"), ("''", ""), ("'日本'", "日本"),
  ])
  func `a text keeps its characters`(row: (String, String)) throws {
    #expect(try constant(row.0) == .string(row.1))
  }

  @Test(arguments: [
    ("0", FieldValue.int64(0)), ("007", .int64(7)), ("-12", .int64(-12)),
    ("9223372036854775807", .int64(.max)), ("-9223372036854775808", .int64(.min)),
    ("0x1F", .int64(31)), ("-0x10", .int64(-16)), ("0o17", .int64(15)), ("0b101", .int64(5)),
    ("1.5", .double(1.5)), (".5", .double(0.5)), ("5.", .double(5)), ("-1e3", .double(-1000)),
    ("1.5E-3", .double(0.0015)), ("2e+2", .double(200)),
  ])
  func `a number keeps its value`(row: (String, FieldValue)) throws {
    #expect(try constant(row.0) == row.1)
  }

  @Test(arguments: [
    "9223372036854775808", "-9223372036854775809", "1e999", "0x", "5abc", "1.2.3",
    "0xFFFFFFFFFFFFFFFFF",
  ])
  func `a number that does not exist is refused`(text: String) {
    #expect(throws: BrumeError.self) { try constant(text) }
  }

  @Test(arguments: ["%d", "%i", "%u", "%ld", "%lu", "%lld", "%llu", "%hhd", "%qi", "%zd", "%x"])
  func `an integer placeholder takes whole numbers`(placeholder: String) throws {
    #expect(try constant(placeholder, .value(.int64(-3))) == .int64(-3))
    #expect(try constant(placeholder, .value(.double(4))) == .int64(4))
    #expect(throws: BrumeError.self) { try constant(placeholder, .value(.double(4.5))) }
    #expect(throws: BrumeError.self) { try constant(placeholder, .value(.string("4"))) }
  }

  @Test(arguments: ["%f", "%lf", "%g", "%e", "%Lf"])
  func `a real placeholder takes numbers`(placeholder: String) throws {
    #expect(try constant(placeholder, .value(.double(0.25))) == .double(0.25))
    #expect(try constant(placeholder, .value(.int64(4))) == .double(4))
    #expect(throws: BrumeError.self) { try constant(placeholder, .null) }
  }

  @Test func `arguments are used in order, and extra ones are ignored as in Foundation`() throws {
    let predicate = try parse(
      "%K == %d AND b == %@", .keyPath("a"), .value(.int64(1)), .value(.string("x")), .null)
    #expect(
      try predicate.filters() == [
        Filter(.equals, .field("a"), .int64(1)), Filter(.equals, .field("b"), .string("x")),
      ])
  }

  @Test func `a missing argument says so`() {
    #expect(refusal("a == %@").contains("more placeholders than arguments"))
  }

  @Test(arguments: ["%s", "%p", "%%", "%", "%1$@", "%l@", "%c"])
  func `an unknown placeholder is refused`(placeholder: String) {
    #expect(refusal("a == \(placeholder)", .value(.string("x"))).contains("wrong at character"))
  }

  @Test func `AND binds tighter than OR, and NOT tighter than both`() throws {
    let a = try parse("a == 1")
    let b = try parse("b == 1")
    let c = try parse("c == 1")
    #expect(try parse("a == 1 OR b == 1 AND c == 1") == .or([a, .and([b, c])]))
    #expect(try parse("NOT a == 1 AND b == 1") == .and([.not(a), b]))
    #expect(try parse("(a == 1 OR b == 1) AND c == 1") == .and([.or([a, b]), c]))
    #expect(try parse("a==1&&b==1||!c==1") == .or([.and([a, b]), .not(c)]))
  }

  @Test func `a parenthesis may hold a value`() throws {
    #expect(try filters("((a)) == (5)") == [Filter(.equals, .field("a"), .int64(5))])
    #expect(try filters("((a) == (5))") == [Filter(.equals, .field("a"), .int64(5))])
  }

  @Test func `keywords have no case, and a sharp makes them names`() throws {
    #expect(
      try parse("not a in {1} And B bEgInSwItH 'x'") == parse("NOT a IN {1} AND B BEGINSWITH 'x'"))
    #expect(try filters("#like == 1") == [Filter(.equals, .field("like"), .int64(1))])
    #expect(refusal("like == 1").contains("#like"))
  }

  @Test(arguments: ["function", "ternary", "FUNCTION"])
  func `names of calls are fields where no parenthesis follows`(name: String) throws {
    #expect(try filters("\(name) == 1") == [Filter(.equals, .field(name), .int64(1))])
  }

  @Test func `a path of placeholders is one key path`() throws {
    let expected = "key path 'a.b'"
    #expect(refusal("%K.b == 1", .keyPath("a")).contains(expected))
    #expect(refusal("%K.%K == 1", .keyPath("a"), .keyPath("b")).contains(expected))
  }

  @Test(arguments: [
    ("", "character 1: encountered the end, was expecting a value"),
    ("a ==", "character 5: encountered the end, was expecting a value"),
    ("a == 1 b", "character 8: encountered 'b', was expecting AND, OR or the end"),
    ("a", "character 2: encountered the end, was expecting a comparison"),
    ("a == 1 AND", "character 11: encountered the end"),
    ("(a == 1", "character 8: encountered the end, was expecting ')'"),
    ("a IN ('x', 'y')", "lists are written {a, b}"),
    ("a IN {1, 2", "was expecting '}'"),
    ("a == 'x", "closing quotation mark"),
    ("a == 'x\\", "ends in"),
    ("a == 'x\\u00", "hexadecimal digits"),
    ("a == '\\ud800'", "half a character"),
    ("a == '\\u0000'", "NUL"),
    ("a & b", "encountered '&'"),
    ("a == $x", "variables"),
    ("a NOT IN {1}", "encountered 'NOT', was expecting a comparison"),
    ("a[0] == 1", "by index"),
    ("a ==[xyz] 1", "option letters"),
    ("ANY a", "was expecting a comparison"),
    ("a == (b == 1)", "was expecting AND, OR or the end"),
    ("SUBQUERY(a, $x, $x == 1).@count > 0", "SUBQUERY"),
    ("FUNCTION(a, 'size') == 1", "FUNCTION"),
    ("TERNARY(a == 1, b, c) == 1", "TERNARY"),
    ("# == 1", "'#' without a name"),
  ])
  func `an error names the place and what was expected`(row: (String, String)) {
    #expect(refusal(row.0).contains(row.1))
  }

  @Test func `nesting is bounded at 32 levels`() throws {
    func nested(_ depth: Int, _ opening: String, _ closing: String) -> String {
      String(repeating: opening, count: depth) + "a == 1" + String(repeating: closing, count: depth)
    }
    #expect(try filters(nested(32, "(", ")")).count == 1)
    #expect(refusal(nested(33, "(", ")")).contains("deeper than 32"))
    #expect(refusal(nested(100_000, "(", ")")).contains("deeper than 32"))
    #expect(refusal(nested(100_000, "NOT ", "")).contains("deeper than 32"))
    #expect(refusal("a == " + String(repeating: "-", count: 100_000)).contains("deeper than 32"))
    #expect(refusal("a == " + String(repeating: "{", count: 100_000)).contains("deeper than 32"))
  }

  @Test func `conditions are bounded at 100`() throws {
    func joined(_ count: Int, _ separator: String) -> String {
      Array(repeating: "a == 1", count: count).joined(separator: separator)
    }
    #expect(try filters(joined(100, " AND ")).count == 100)
    #expect(refusal(joined(101, " AND ")).contains("more than 100 conditions"))
    #expect(refusal(joined(101, " OR ")).contains("more than 100 conditions"))
    #expect(refusal("a == 1" + String(repeating: " + 1", count: 100_000)).contains("more than 100"))
  }
}
