// What every request body can do, and where the functions for replies hang.

package import BrumeModel

/// A body that a client sends. The server reads it from JSON; our client writes it.
package protocol WireRequest {
  /// Reads the body; members that are not known are passed over.
  ///
  /// - Throws: `badRequest`, which names the member that is missing or not what it should be.
  init(json: JSON) throws(BrumeError)
  /// Writes the body as one JSON object.
  func write(to writer: inout JSONWriter)
}

extension WireRequest {
  /// The body as sent. Cheaper than `json.bytes()`.
  package func bytes() -> [UInt8] {
    Wire.bytes { writer in write(to: &writer) }
  }

  /// The body as a value, for tests and tools.
  package var json: JSON { Wire.json { writer in write(to: &writer) } }
}

/// Replies, and bodies that are plain lists, both ways. Functions that take model values answer
/// bytes; functions that take `JSON` answer model values.
///
/// Functions that read throw `badRequest`, which names the member that is missing or not what it should be;
/// an element of a list is named by its place.
package enum Wire {
  static func bytes(
    capacity: Int = 256, _ write: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter(capacity: capacity)
    write(&writer)
    return writer.bytes
  }

  /// The same in pieces, of which most are stored records as they are kept: a page of them is large, and nothing of it is
  /// copied here.
  static func pieces(_ write: (inout JSONWriter) -> Void) -> [[UInt8]] {
    var writer = JSONWriter(keepingPieces: 512)
    write(&writer)
    return writer.pieces
  }

  static func json(_ write: (inout JSONWriter) -> Void) -> JSON {
    // Our own writer's output always parses.
    (try? JSON(parsing: bytes(write), maximumDepth: 512, allowsNUL: true)) ?? .null
  }

  /// `{}`, the answer of calls that return nothing.
  package static let empty: [UInt8] = Array("{}".utf8)

  /// True if the request wants number fields as texts.
  ///
  /// - Parameter json: the body of a request that was read: readers refuse what is neither true nor false.
  package static func wantsNumbersAsStrings(_ json: JSON) -> Bool {
    (try? json.object?.numbersAsStrings()) ?? false
  }
}

extension JSONObject {
  /// CloudKit: the archive misspells the key once.
  func numbersAsStrings() throws(BrumeError) -> Bool? {
    if let flag = try bool("numbersAsStrings") { return flag }
    return try bool("numberAsStrings")
  }
}

/// Writes `{key: [elements…]}`.
extension JSONWriter {
  mutating func array<Element>(
    _ key: StaticString, _ elements: some Sequence<Element>,
    _ write: (inout JSONWriter, Element) -> Void
  ) {
    name(key)
    beginArray()
    for element in elements { write(&self, element) }
    endArray()
  }
}
