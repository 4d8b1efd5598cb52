// The place of a span in a trace, and its form in the header `traceparent` (W3C Trace Context, version 00).

import BrumeModel
import Tracing

/// A span that others may be inside of.
package struct TraceParent: Equatable, Sendable {
  /// 16 bytes, not all zero.
  let trace: [UInt8]
  /// 8 bytes, not all zero.
  let span: [UInt8]
  /// Whether the trace is recorded.
  let isSampled: Bool

  /// The header, of version 00.
  package var text: String { "00-\(Hex.text(trace))-\(Hex.text(span))-\(isSampled ? "01" : "00")" }

  /// Lower case only, as the specification has it.
  private static func bytes(_ text: Substring, _ count: Int) -> [UInt8]? {
    guard text.utf8.count == count * 2 else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text.utf8 {
      let isLower = character.isDigit || character >= UInt8(ascii: "a")
      guard isLower, let digit = Hex.value(of: character) else { return nil }
      if let half = high { bytes.append(half << 4 | digit) }
      high = high == nil ? digit : nil
    }
    return bytes
  }
}

extension TraceParent {
  /// Reads the header; nil if it is malformed. Of a version that is not known, what version 00 has is read.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count >= 4, let version = Self.bytes(parts[0], 1), version != [0xff],
      version != [0] || parts.count == 4,
      let trace = Self.bytes(parts[1], 16), trace.contains(where: { $0 != 0 }),
      let span = Self.bytes(parts[2], 8), span.contains(where: { $0 != 0 }),
      let flags = Self.bytes(parts[3], 1)
    else { return nil }
    self.init(trace: trace, span: span, isSampled: flags[0] & 1 == 1)
  }
}

private enum TraceKey: ServiceContextKey {
  typealias Value = TraceParent
}

extension ServiceContext {
  /// The span that runs; nil: nothing is measured.
  var trace: TraceParent? {
    get { self[TraceKey.self] }
    set { self[TraceKey.self] = newValue }
  }
}

/// A moment that was noted.
struct SpanTime: TracerInstant {
  let nanosecondsSinceEpoch: UInt64

  init(_ nanoseconds: UInt64) { nanosecondsSinceEpoch = nanoseconds }

  static func < (one: SpanTime, other: SpanTime) -> Bool {
    one.nanosecondsSinceEpoch < other.nanosecondsSinceEpoch
  }
}
