// How many bytes of records one answer holds, where they are read one by one.

import BrumeModel

/// What room an answer has left for records. A value: a transaction that runs again begins with the same.
struct AnswerRoom {
  let maximum: Int
  private var bytes = 0

  init(_ limits: Limits) { maximum = limits.answerBytes }

  /// Whether nothing more fits.
  var isFull: Bool { bytes > maximum }

  /// Counts what the answer is to hold, and says whether it fits. The first always does.
  mutating func takes(_ more: Int) -> Bool {
    let isFirst = bytes == 0
    bytes += more
    return isFirst || bytes <= maximum
  }
}

extension Limits {
  /// For a record of a save that the answer would have to show.
  func answerIsFull(before name: String) -> BrumeError {
    BrumeError(
      .limitExceeded,
      "the answer to this request would hold more than \(answerBytes) bytes of records with '\(name)'; save it "
        + "and those after it in another request")
  }
}
