// Server-sent events, byte by byte: total over any input. https://html.spec.whatwg.org, section
// "Server-sent events". Lines end with CR, LF or both; an empty line ends an event.

/// Takes bytes as they arrive and answers whole events.
package struct EventStreamParser: Equatable, Sendable {
  /// An event with data; others are none.
  package struct Event: Equatable, Sendable {
    /// The last ID that the stream named.
    package var id: String?
    package var name = "message"
    package var data: [UInt8]
  }
  /// Ours: longer lines and events are dropped, whatever comes in them. A push has 4 KB.
  static let limitBytes = 1 << 20
  private var line: [UInt8] = []
  private var lineIsTooLong = false
  private var afterCarriageReturn = false
  private var isFirstLine = true
  private var data: [UInt8] = []
  private var hasData = false
  private var name = ""
  private var lastID: String?
  /// Whether it was an event stream so far: a comment came, or an event.
  package private(set) var hasBegun = false

  package init() {}

  /// Takes the next bytes; answers the events that they complete.
  package mutating func take(_ bytes: some Sequence<UInt8>) -> [Event] {
    var events: [Event] = []
    for byte in bytes {
      let isSecondOfPair = afterCarriageReturn && byte == UInt8(ascii: "\n")
      afterCarriageReturn = byte == UInt8(ascii: "\r")
      if isSecondOfPair { continue }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        if let event = endLine() { events.append(event) }
      } else if line.count < Self.limitBytes {
        line.append(byte)
      } else {
        lineIsTooLong = true
      }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    var ended = line[...]
    if isFirstLine, ended.starts(with: [0xEF, 0xBB, 0xBF]) { ended = ended.dropFirst(3) }
    isFirstLine = false
    defer {
      line.removeAll(keepingCapacity: true)
      lineIsTooLong = false
    }
    if lineIsTooLong { return nil }
    if ended.isEmpty { return endEvent() }
    let colon = ended.firstIndex(of: UInt8(ascii: ":"))
    if colon == ended.startIndex {
      hasBegun = true
      return nil
    }
    var value = colon.map { ended[ended.index(after: $0)...] } ?? []
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    field(String(decoding: ended[..<(colon ?? ended.endIndex)], as: UTF8.self), value)
    return nil
  }

  private mutating func field(_ field: String, _ value: ArraySlice<UInt8>) {
    switch field {
    case "data":
      guard data.count + value.count <= Self.limitBytes else { return }
      if hasData { data.append(UInt8(ascii: "\n")) }
      data += value
      hasData = true
    case "event": name = String(decoding: value, as: UTF8.self)
    case "id": if !value.contains(0) { lastID = String(decoding: value, as: UTF8.self) }
    default: break
    }
  }

  private mutating func endEvent() -> Event? {
    defer {
      data = []
      hasData = false
      name = ""
    }
    guard hasData else { return nil }
    hasBegun = true
    return Event(id: lastID, name: name.isEmpty ? "message" : name, data: data)
  }
}
