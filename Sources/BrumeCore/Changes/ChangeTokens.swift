// Change tokens as clients hold them.

import BrumeModel

/// Makes change tokens and opens them.
struct ChangeTokens: Sendable {
  private let seal: Seal
  private let generation: Int64

  init(_ parts: EngineParts) {
    seal = parts.seal
    generation = parts.generation
  }

  /// A token as clients hold it.
  func sealed(_ token: ChangeToken) -> String {
    seal.text(TokenRules.bytes(token), for: .changeToken)
  }

  /// A token for this caller in this database, at `sequence`.
  func token(
    _ subject: ChangeToken.Subject, at sequence: Int64, in scope: DatabaseScope,
    for caller: Caller, walk: ChangeToken.Walk? = nil
  ) throws(BrumeError) -> String {
    sealed(
      ChangeToken(
        in: caller.containerEnvironment, scope: scope,
        reader: try caller.requireUser(), generation: generation, subject: subject,
        sequence: sequence, walk: walk))
  }

  /// The token behind a text that this caller sent for this database. Whether its subject is the
  /// one asked about is the feature's own check.
  func opened(
    _ text: String, in scope: DatabaseScope, for caller: Caller
  ) throws(BrumeError) -> ChangeToken {
    guard let bytes = seal.payload(of: text, for: .changeToken),
      let token = TokenRules.token(bytes),
      token.containerEnvironment == caller.containerEnvironment,
      token.scope == scope, token.reader == caller.user, token.generation == generation,
      token.sequence >= 0
    else { throw TokenRules.expired }
    return token
  }
}
