// How long a text may be that holds a key: one rule for all that operators register.

import BrumeModel

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
