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
    guard values.reduce(0, { $0 + $1.mostWords }) > maximum else { return }
    var words = 0
    for value in values {
      words += Tokens.of(value)?.count ?? 0
      if words > maximum {
        throw BrumeError(
          .limitExceeded,
          "the texts of the request have more than \(maximum) different words, the maximum. Split it, "
            + "or keep long texts in assets")
      }
    }
  }
}

extension FieldValue {
  /// A word has a byte, and another is between it and the next.
  fileprivate var mostWords: Int {
    switch self {
    case .string(let text): (text.utf8.count + 1) / 2
    case .list(let elements, _): elements.reduce(0) { $0 + $1.mostWords }
    case .int64, .double, .bytes, .timestamp, .location, .reference, .asset: 0
    }
  }
}
