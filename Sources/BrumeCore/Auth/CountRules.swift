// How many there may be of what somebody makes on a server and it keeps until somebody removes it: one rule, and one form of
// its error.

import BrumeModel

enum CountRules {
  /// Whether there is room for one more.
  ///
  /// - Parameters:
  ///   - what: in the plural, such as "API tokens".
  ///   - next: what makes room, such as "revoke one with `brume token revoke NAME`".
  /// - Throws: `limitExceeded`.
  static func room(
    for what: String, beside count: Int, upTo maximum: Int, next: String
  ) throws(BrumeError) {
    guard count < maximum else {
      throw BrumeError(
        .limitExceeded, "there are \(count) \(what), as many as may be; \(next)")
    }
  }
}

/// Texts that hold a key.
enum KeyTextRules {
  /// - Parameter what: how the error calls it, such as "the public key".
  /// - Throws: `badRequest` if it is longer than any key.
  static func check(_ text: String, _ what: String, limits: Limits) throws(BrumeError) {
    let count = text.utf8.count
    guard count <= limits.keyBytes else {
      throw BrumeError(
        .badRequest,
        "\(what) has \(count) bytes; the maximum is \(limits.keyBytes); give one P-256 key in PEM form and "
          + "nothing else")
    }
  }
}
