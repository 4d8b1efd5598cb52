import BrumeTestKit
import Testing

@testable import BrumeClient

struct EventStreamParserTests {
  private func events(_ text: String) -> [EventStreamParser.Event] {
    var parser = EventStreamParser()
    return parser.take(Array(text.utf8))
  }

  @Test func `an event has an id and data`() {
    #expect(
      events("id: 7\ndata: {\"ck\":1}\n\n") == [.init(id: "7", data: Array("{\"ck\":1}".utf8))])
  }

  @Test func `comments are heartbeats, not events`() {
    #expect(events(": connected\n\n:\n\nretry: 1000\n\n").isEmpty)
  }

  @Test func `lines of data are joined`() {
    #expect(events("data: a\ndata: b\n\n") == [.init(data: Array("a\nb".utf8))])
  }

  @Test(arguments: ["\n", "\r", "\r\n"])
  func `every kind of line end ends a line`(_ end: String) {
    let text = ["id: 1", "data: x", "", ""].joined(separator: end)
    #expect(events(text) == [.init(id: "1", data: [UInt8(ascii: "x")])])
  }

  @Test func `an id holds until the next one`() {
    #expect(events("id: 1\ndata: a\n\ndata: b\n\n").map(\.id) == ["1", "1"])
  }

  @Test func `a field without a colon is a field without a value`() {
    #expect(events("data\n\n") == [.init(data: [])])
  }

  @Test func `a name is for one event only`() {
    #expect(events("event: bye\ndata: a\n\ndata: b\n\n").map(\.name) == ["bye", "message"])
  }

  @Test func `an event that is not ended is not one yet`() {
    #expect(events("data: a\n").isEmpty)
  }

  @Test func `a mark at the start of the stream is skipped`() {
    #expect(events("\u{FEFF}data: a\n\n") == [.init(data: [UInt8(ascii: "a")])])
  }

  @Test func `too long a line is dropped, and the stream goes on`() {
    var parser = EventStreamParser()
    var bytes = Array("data: ".utf8)
    bytes += [UInt8](repeating: UInt8(ascii: "x"), count: EventStreamParser.limitBytes)
    bytes += Array("\n\ndata: ok\n\n".utf8)
    let events = parser.take(bytes)
    #expect(events == [.init(data: Array("ok".utf8))])
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `any bytes, in any pieces, give the same events`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let alphabet = Array("data:id\r\n: \n\u{e9}".utf8) + [0, 0xFF, 0xEF, 0xBB, 0xBF]
    let bytes = (0..<300).map { _ in alphabet[Int.random(in: alphabet.indices, using: &random)] }
    var whole = EventStreamParser()
    var pieces = EventStreamParser()
    let expected = whole.take(bytes)
    var found: [EventStreamParser.Event] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 1...min(7, rest.count), using: &random)
      found += pieces.take(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    #expect(found == expected)
  }
}
