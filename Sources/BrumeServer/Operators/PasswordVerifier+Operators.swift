// Passwords of operators, checked as those of users are: one at a time, on the same thread, and ever more slowly for
// whoever guesses.

import BrumeCore
import BrumeModel

extension PasswordVerifier {
  /// The operator of a name and password. Guesses count apart from those at a user of the same name.
  ///
  /// - Parameter isOfSomebody: is called, before the check, with whether there is such an operator.
  /// - Throws: THROTTLED with the seconds to wait, after too many wrong ones.
  func person(
    name: String, password: String, at address: ClientAddress, operators: Operators,
    isOfSomebody: (Bool) -> Void
  ) async throws -> Operator {
    try accounts.checkLengths(name: name, password: password)
    // No user's name holds a space.
    return try await attempt("operator \(name)", at: address, isOperator: true) {
      let check = try await operators.passwordCheck(name: name)
      isOfSomebody(check.isOfSomebody)
      return { try check.verified(password: password) }
    }
  }
}
