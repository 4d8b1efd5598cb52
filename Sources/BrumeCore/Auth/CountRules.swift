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
