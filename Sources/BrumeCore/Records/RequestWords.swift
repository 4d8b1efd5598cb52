// How many words a request and each of its records may bring. Each different one may be a row of the query index, and
// everybody's saves wait while rows are written. A book of a megabyte has some 20,000.

import BrumeModel
import BrumePredicate

enum RequestWords {
  /// Answers what is wrong with operations whose records bring too many.
  ///
  /// - Throws: if those of the others are too many for one request.
  static func flaws(
    of operations: [RecordOperation], _ limits: Limits
  ) throws(BrumeError) -> [Int: BrumeError] {
    let texts = operations.map { RecordTexts($0.record) }
    guard
      texts.reduce(0, { $0 + $1.mostByBytes }) > min(limits.wordsPerRecord, limits.wordsPerRequest)
    else { return [:] }
    // Words are counted only where there may be too many.
    let most = texts.map(\.most)
    let mayBeMany = most.reduce(0, +) > limits.wordsPerRequest
    var (words, flaws): (Int, [Int: BrumeError]) = (0, [:])
    for index in texts.indices where mayBeMany || most[index] > limits.wordsPerRecord {
      let counts = texts[index].counts
      let count = counts.reduce(0) { $0 + $1.words }
      if count > limits.wordsPerRecord {
        flaws[index] = tooMany(mostIn: counts.max { $0.words < $1.words }?.field ?? "", limits)
      } else {
        words += count
      }
      if words > limits.wordsPerRequest { throw tooMany(limits) }
    }
    return flaws
  }

  private static func tooMany(mostIn field: String, _ limits: Limits) -> BrumeError {
    BrumeError(
      .limitExceeded,
      "the texts of the record have more than \(limits.wordsPerRecord) different words, the maximum, and "
        + "field '\(NameRules.shown(field))' has most of them. Keep that text in an asset or an encrypted "
        + "field, which are not searched, or divide it among records")
  }

  private static func tooMany(_ limits: Limits) -> BrumeError {
    BrumeError(
      .limitExceeded,
      "the texts of the request have more than \(limits.wordsPerRequest) different words, the maximum; "
        + "send its records in halves, or keep long texts in assets")
  }
}

/// The texts that a save brings and that can be searched.
private struct RecordTexts {
  let values: [(field: String, value: FieldValue)]

  init(_ draft: RecordDraft) {
    values = draft.fields.compactMap { field, new in
      new.isEncrypted ? nil : new.value.map { (field, $0) }
    }
  }

  /// No fewer than there are words: one has a byte, and another is between it and the next.
  var mostByBytes: Int { most { ($0.utf8.count + 1) / 2 } }

  /// No fewer than there are words, without cutting texts: each begins with an ASCII letter or digit behind something
  /// else, or with another character, of which this is the first byte.
  var most: Int {
    most { text in
      var (count, isInWord) = (0, false)
      for byte in text.utf8 {
        let isPart =
          (0x61...0x7a).contains(byte) || (0x41...0x5a).contains(byte)
          || (0x30...0x39).contains(byte)
        if isPart && !isInWord || byte >= 0xc0 { count += 1 }
        isInWord = isPart
      }
      return count
    }
  }

  private func most(_ ofText: (String) -> Int) -> Int {
    values.reduce(0) { $0 + $1.value.mostWords(ofText) }
  }

  /// Different words, those of each field by themselves. To cut texts takes long, so each is cut once.
  var counts: [(field: String, words: Int)] {
    values.map { ($0.field, Tokens.of($0.value)?.count ?? 0) }
  }
}

extension FieldValue {
  fileprivate func mostWords(_ ofText: (String) -> Int) -> Int {
    switch self {
    case .string(let text): ofText(text)
    case .list(let elements, _): elements.reduce(0) { $0 + $1.mostWords(ofText) }
    case .int64, .double, .bytes, .timestamp, .location, .reference, .asset: 0
    }
  }
}
