// How many words a request may bring. Each different one of a record may be a row of the query index, as an element
// of a list is, so they have the same maximum.

import BrumeModel
import BrumePredicate

enum RequestWords {
  /// Words are counted only where there may be too many.
  static func check(_ operations: [RecordOperation], _ limits: Limits) throws(BrumeError) {
    let maximum = limits.listElementsPerRequest
    let values = operations.flatMap { operation in
      operation.record.fields.values.compactMap { $0.isEncrypted ? nil : $0.value }
    }
    guard values.reduce(0, { $0 + $1.mostWords { ($0.utf8.count + 1) / 2 } }) > maximum,
      values.reduce(0, { $0 + $1.mostWords(beginnings) }) > maximum
    else { return }
    var words = 0
    for value in values {
      words += Tokens.of(value)?.count ?? 0
      if words > maximum {
        throw BrumeError(
          .limitExceeded,
          "the texts of the request have more than \(maximum) different words, the maximum; send its "
            + "records in halves, or keep long texts in assets")
      }
    }
  }

  /// No fewer than a text has words, without cutting it: each begins with an ASCII letter or digit behind something else, or
  /// with another character, of which this is the first byte.
  private static func beginnings(_ text: String) -> Int {
    var (count, isInWord) = (0, false)
    for byte in text.utf8 {
      let isPart =
        (0x61...0x7a).contains(byte) || (0x41...0x5a).contains(byte) || (0x30...0x39).contains(byte)
      if isPart && !isInWord || byte >= 0xc0 { count += 1 }
      isInWord = isPart
    }
    return count
  }
}

extension FieldValue {
  /// No fewer than there are words. A word has a byte, and another is between it and the next.
  fileprivate func mostWords(_ ofText: (String) -> Int) -> Int {
    switch self {
    case .string(let text): ofText(text)
    case .list(let elements, _): elements.reduce(0) { $0 + $1.mostWords(ofText) }
    case .int64, .double, .bytes, .timestamp, .location, .reference, .asset: 0
    }
  }
}
