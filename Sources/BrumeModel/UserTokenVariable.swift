// Servers in development, `brume exec` and the client library agree on what the variable with a user's token is called.

/// The environment variable that has one user's web auth token, beside `BRUME_USER_TOKEN`, which is the first user's.
package enum UserTokenVariable {
  package static let prefix = "BRUME_USER_TOKEN_"

  /// `BRUME_USER_TOKEN_MARY_ANN` for `mary-ann`.
  ///
  /// - Parameter user: the user's name. Its ASCII letters and digits stay, upper case; everything else becomes an underscore, as
  ///   shells want it.
  package static func name(of user: String) -> String {
    prefix + String(user.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }
}
