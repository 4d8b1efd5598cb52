// The port's part for what requests are signed with: API tokens, server-to-server keys, and which
// signatures were used.

package import BrumeModel

/// Every call throws what ``ReadTransaction`` says.
package protocol CredentialReading: AnyObject {
  /// The token with this text; nil if there is none.
  func apiToken(_ token: String) throws -> APIToken?
  /// All tokens, of every container environment, in the order of their texts.
  func apiTokens() throws -> [APIToken]
  /// The key with this ID; nil if there is none.
  func serverKey(_ id: String) throws -> ServerKey?
  /// All keys, of every container environment, in ID order.
  func serverKeys() throws -> [ServerKey]
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has `server`.
package protocol CredentialWriting: CredentialReading {
  /// Inserts or replaces by the token's text.
  func put(_ token: APIToken) throws
  /// Removes a token, if it is there.
  func removeAPIToken(_ token: String) throws
  /// Inserts or replaces by ID.
  func put(_ key: ServerKey) throws
  /// Removes a key, if it is there.
  func removeServerKey(_ id: String) throws
  /// Remembers a signature that was used at `time`, forgetting those from before `horizon`.
  func use(
    signature: String, at time: Milliseconds, after horizon: Milliseconds, limit: Int
  ) throws -> SignatureUse
}

/// What became of an attempt to use a signature.
package enum SignatureUse: Equatable, Sendable {
  case first, repeated
  /// As many are remembered as may be; nothing was noted.
  case full
}
