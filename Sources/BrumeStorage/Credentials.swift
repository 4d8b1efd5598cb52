// The port's part for what requests are signed with: API tokens, server-to-server keys, and which
// signatures were used.

package import BrumeModel

package protocol CredentialReading: AnyObject {
  func apiToken(_ token: String) throws -> APIToken?
  func apiTokens() throws -> [APIToken]
  func serverKey(_ id: String) throws -> ServerKey?
  func serverKeys() throws -> [ServerKey]
}

package protocol CredentialWriting: CredentialReading {
  func put(_ token: APIToken) throws
  func removeAPIToken(_ token: String) throws
  func put(_ key: ServerKey) throws
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
