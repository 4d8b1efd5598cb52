// Bounds on the texts of requests. To compare two texts as Swift does, marks in a row that combine with the letter before
// them (accents) are sorted, which takes the square of their number: with some thousands of them, seconds.
// And a bound on how many values there are: two bytes of a body become more than a hundred in memory.

import BrumeModel

/// What a request's texts and values are bounded by.
package enum JSONBounds {
  /// Of a key and of a zone's names, in UTF-8. The rules for names allow less (255), but have their say for each item only.
  static let nameBytes = 1024
  /// Ours: combining marks in a row. The stream-safe text format of Unicode (UAX #15) has 30.
  static let marks = 64
  /// Ours: values of one request, each element, member, array and object one. All lists of a request together may have a
  /// quarter of that in elements (`Limits.listElementsPerRequest`).
  package static let values = 1_000_000
  /// What one array or object takes beside its text, roughly.
  package static let bytesOfBranch = 32
  /// What one value takes beside its text, roughly, from when it is read until its request is done: as JSON, and as what
  /// becomes of it. An element of a list is a `FieldValue`, which has room for a location.
  package static let bytesOfValue = 128
}

extension JSON {
  /// How many values it consists of: each element, member, array and object is one.
  package var valueCount: Int {
    switch self {
    case .null, .bool, .int, .double, .string: 1
    case .array(let elements): elements.reduce(1) { $0 + $1.valueCount }
    case .object(let object): object.members.reduce(1) { $0 + $1.value.valueCount }
    }
  }
}

extension JSONParser {
  /// A text, within the bounds of a request.
  mutating func boundedText() throws(JSONFault) -> String {
    let text = try text()
    if isRequest, text.hasMarksInARow(moreThan: JSONBounds.marks) {
      throw fault("a text has more than 64 combining marks in a row; leave some out")
    }
    return text
  }
}

extension String {
  fileprivate func hasMarksInARow(moreThan most: Int) -> Bool {
    if isPlain { return false }
    var count = 0
    for scalar in unicodeScalars {
      count = scalar.isMark ? count + 1 : 0
      if count > most { return true }
    }
    return false
  }
}

extension String {
  /// Whether it is ASCII.
  private var isPlain: Bool {
    !hasByte({ $0 >= 0x80 }) { $0 & 0x8080_8080_8080_8080 != 0 }
  }
}

extension Unicode.Scalar {
  /// Whether it is sorted among its neighbours. Most letters are known by their number.
  fileprivate var isMark: Bool {
    switch value {
    case 0..<0x300, 0x3400...0x9fff, 0xac00...0xd7a3: false
    default: properties.canonicalCombiningClass != .notReordered
    }
  }
}
