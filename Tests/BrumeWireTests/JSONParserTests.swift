// What the parser refuses and what it keeps exact (decisions 0011 and 0012).

import BrumeModel
import BrumeTestKit
import Testing

@testable import BrumeWire

struct JSONParserTests {
  @Test(arguments: [
    "", " ", "{", "[", "\"", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "[1", "[1,", "nul",
    "truee", "tru", "True", "nan", "NaN", "Infinity", "'a'", "{a:1}", "{1:1}", "{\"a\" 1}", "[1 2]",
    "{}{}", "1 2", "//c\n1", "[1]x", "\u{1}", "-", "+1", ".5", "1.", "01", "-01", "1e", "1e+",
    "0x10",
    "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\\"", "[,1]", "{,}",
  ])
  func `what is not JSON is refused`(_ text: String) {
    #expect(throws: BrumeError.self) { try parse(text) }
  }

  @Test(arguments: [
    ("duplicate key", "{\"a\":1,\"a\":2}"),
    ("duplicate by canonical equivalence", "{\"é\":1,\"e\u{301}\":2}"),
    ("duplicate through an escape", "{\"a\":1,\"\\u0061\":2}"),
    ("trailing comma in an object", "{\"a\":1,}"), ("trailing comma in an array", "[1,]"),
    ("byte order mark", "\u{feff}{}"), ("beyond a double", "1e400"), ("beyond a double", "-1e400"),
    ("beyond a double, without exponent", String(repeating: "9", count: 400)),
    ("an endless number", "0." + String(repeating: "1", count: 2000)),
    ("lone high surrogate", "\"\\ud800\""), ("lone low surrogate", "\"\\udc00\""),
    ("high surrogate and a letter", "\"\\ud800a\""), ("two high surrogates", "\"\\ud800\\ud800\""),
    ("escaped NUL in a value", "\"a\\u0000b\""), ("escaped NUL in a key", "{\"a\\u0000\":1}"),
    ("raw NUL", "\"a\u{0}b\""), ("raw line feed in a text", "\"a\nb\""),
  ])
  func `I7 traps are refused as a bad request`(_ trap: String, _ text: String) {
    let error = #expect(throws: BrumeError.self) { try parse(text) }
    #expect(error?.code == .badRequest, "\(trap)")
    #expect(error?.reason.contains("at byte") == true)
  }

  @Test func `the error says where the text is wrong`() {
    let error = #expect(throws: BrumeError.self) { try parse(#"{"a":1,"a":2}"#) }
    #expect(
      error?.reason == "the JSON is not valid at byte 11: a key occurs twice: 'a'; send it once")
  }

  @Test(arguments: [
    ("[[[1]]]", "nested too deeply; at most 2 arrays and objects"), ("NaN", "send null"),
    (#"{"a":Infinity}"#, "NaN and Infinity are no JSON"),
  ])
  func `the error says what to do instead`(text: String, words: String) {
    let error = #expect(throws: BrumeError.self) {
      try JSON(parsing: Array(text.utf8), maximumDepth: 2)
    }
    #expect(error?.reason.contains(words) == true, "\(error?.reason ?? "")")
  }

  @Test func `invalid UTF-8 is refused wherever it stands`() {
    let invalid: [[UInt8]] = [
      [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xc3], [0x80],
    ]
    for bytes in invalid {
      #expect(throws: BrumeError.self) { try JSON(parsing: [0x22] + bytes + [0x22]) }
      #expect(throws: BrumeError.self) { try JSON(parsing: [0x22, 0x5c, 0x6e] + bytes + [0x22]) }
      #expect(throws: BrumeError.self) { try JSON(parsing: bytes) }
    }
  }

  @Test func `nesting is refused beyond its limit and never overflows the stack`() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    _ = try JSON(parsing: nested(32))
    #expect(throws: BrumeError.self) { try JSON(parsing: nested(33)) }
    #expect(throws: BrumeError.self) { try JSON(parsing: nested(1_000_000)) }
    let objects = String(repeating: "{\"a\":", count: 1_000_000)
    #expect(throws: BrumeError.self) { try parse(objects) }
  }

  @Test(arguments: [
    ("0", JSON.int(0)), ("-1", .int(-1)), ("9223372036854775807", .int(.max)),
    ("-9223372036854775808", .int(.min)), ("9007199254740993", .int(9_007_199_254_740_993)),
    ("9223372036854775808", .double(9_223_372_036_854_775_808)),
    ("-9223372036854775809", .double(-9_223_372_036_854_775_808)),
    ("1.0", .double(1)), ("1e2", .double(100)), ("12.5", .double(12.5)), ("0.1", .double(0.1)),
    ("1E-2", .double(0.01)), ("1e-400", .double(0)), ("5e-324", .double(.leastNonzeroMagnitude)),
    ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
    ("123456789012345678901234567890", .double(123_456_789_012_345_678_901_234_567_890)),
    ("0.30000000000000004", .double(0.1 + 0.2)),
    ("9007199254740993.0", .double(9_007_199_254_740_992)),
  ])
  func `numbers are exact or the nearest double`(_ text: String, _ value: JSON) throws {
    #expect(try parse(text) == value)
  }

  @Test(arguments: [(1024, true), (1025, false)])
  func `a number has so many characters at most`(count: Int, isTaken: Bool) {
    let text = "0." + String(repeating: "1", count: count - 2)
    #expect(((try? JSON(parsing: Array(text.utf8))) != nil) == isTaken)
  }

  @Test func `minus zero keeps its sign and is still a whole number`() throws {
    let zero = try parse("-0")
    #expect(zero.double?.sign == .minus)
    #expect(zero.int == 0)
    #expect(try parse("-0.0").double?.sign == .minus)
  }

  @Test func `doubles print to a text that reads back the same`() throws {
    var random = SeededRandom(seed: 11)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      let back = try JSON(parsing: JSON.double(value).bytes()).double
      #expect(back?.bitPattern == value.bitPattern)
    }
  }

  @Test func `short decimals read like the standard library reads them`() throws {
    var random = SeededRandom(seed: 12)
    for _ in 0..<20_000 {
      let digits = Int64.random(in: 0...99_999_999_999_999_999, using: &random)
      let text =
        "\(digits).\(UInt16.random(in: 0...9999, using: &random))e\(Int.random(in: -30...30, using: &random))"
      #expect(try parse(text).double?.bitPattern == Double(text)?.bitPattern)
    }
  }

  @Test func `texts keep their bytes`() throws {
    let texts = ["", "é", "e\u{301}", "😀", "\u{7f}\u{80}\u{2028}", "\"\\/\u{8}\u{c}\n\r\t\u{1f}"]
    for text in texts {
      let back = try JSON(parsing: JSON.string(text).bytes()).string
      #expect(back.map { Array($0.utf8) } == Array(text.utf8))
    }
    #expect(try parse(#""\u00e9\ud83d\ude00\b\f\n\r\t\/\\\"""#).string == "é😀\u{8}\u{c}\n\r\t/\\\"")
  }

  @Test func `a text is found to end at every length and offset`() throws {
    for length in 0..<40 {
      for special in ["", "\"", "\\", "\u{1f}", "é"] {
        let text =
          String(repeating: "x", count: length) + special + String(repeating: "y", count: 3)
        #expect(try JSON(parsing: JSON.array([.string(text), 1]).bytes()) == [.string(text), 1])
      }
    }
  }

  @Test func `an object with many keys finds duplicates and keeps its order`() throws {
    let keys = (0..<5000).map { "k\($0)" }
    let text = "{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
    #expect(try parse(text).object?.members.map(\.key) == keys)
    #expect(throws: BrumeError.self) { try parse(text.dropLast() + ",\"k77\":2}") }
  }

  @Test func `an explicit null is absent and an empty body is an empty object`() throws {
    let object = try #require(try parse(#"{"a":null,"b":1}"#).object)
    #expect(object["a"] == nil)
    #expect(object["b"] == 1)
    #expect(try JSON(body: []) == .object(JSONObject()))
  }

  @Test func `base64 is strict about its alphabet and its last bits`() {
    for count in 0..<20 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 250) }
      #expect(Base64.bytes(Base64.text(bytes)) == bytes)
    }
    #expect(Base64.text(Array("any carnal pleas".utf8)) == "YW55IGNhcm5hbCBwbGVhcw==")
    #expect(Base64.bytes("YWI") == Array("ab".utf8))
    for text in ["A", "====", "YWJ=", "YW J", "YW-_", "Y=Wj", "YWJj=", "YR=="] {
      #expect(Base64.bytes(text) == nil, "\(text)")
    }
  }

  @Test func `a request has no text that takes the square of its length to compare`() throws {
    func body(_ marks: Int) -> [UInt8] {
      Array("{\"a\":\"e\(String(repeating: "\u{301}\u{316}", count: marks / 2))\"}".utf8)
    }
    #expect(try JSON(body: body(64))["a"] != nil)
    #expect(throws: BrumeError.self) { try JSON(body: body(66)) }
    let escaped = "{\"" + String(repeating: "\\u0301", count: 65) + "\":1}"
    #expect(throws: BrumeError.self) { try JSON(body: Array(escaped.utf8)) }
    // What was stored before stays readable.
    #expect(try JSON(parsing: body(66))["a"] != nil)
    let key = { (count: Int) in Array("{\"\(String(repeating: "k", count: count))\":1}".utf8) }
    #expect(try JSON(body: key(1024)).object != nil)
    #expect(throws: BrumeError.self) { try JSON(body: key(1025)) }
  }

  @Test func `a request has a million values and no more, what was stored any number`() throws {
    // Two of them are the object and the list.
    func body(_ elements: Int) -> [UInt8] {
      Array("{\"a\":[\(String(repeating: "0,", count: elements - 1))0]}".utf8)
    }
    #expect(try JSON(body: body(999_998))["a"] != nil)
    let error = #expect(throws: BrumeError.self) { try JSON(body: body(999_999)) }
    #expect(error?.code == .limitExceeded && error?.reason.contains("1,000,000 values") == true)
    #expect(try JSON(parsing: body(999_999))["a"] != nil)
  }

  @Test func `each element, member, array and object counts as a value`() throws {
    let json = try JSON(parsing: Array(#"{"a":[1,"b",null,[]],"c":{"d":true}}"#.utf8))
    #expect(json.valueCount == 8)
  }

  @Test func `a zone ID that no zone can have is not repeated for each item`() throws {
    let long = String(repeating: "z", count: 1025)
    #expect(throws: BrumeError.self) { try ZoneID(json: ["zoneName": .string(long)]) }
    #expect(throws: BrumeError.self) { try ZoneID(json: .string(long)) }
    #expect(throws: BrumeError.self) {
      try ZoneID(json: ["zoneName": "a", "ownerRecordName": .string(long)])
    }
    let mark = "a" + String(repeating: "\u{301}", count: 40_000)
    #expect(NameRules.shown(mark).utf8.count < 120)
  }
}
