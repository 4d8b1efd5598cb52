// What a request brings to prove who it is from. The server fills this in from headers and parameters;
// `Authentication` decides.

package import BrumeModel

/// A request signed with a server-to-server key (docs/sign-in.md).
package struct SignedRequest: Equatable, Sendable {
  /// Which server-to-server key it says that signed it.
  package let keyID: String
  /// As sent, such as `2026-11-20T22:31:01Z`.
  package let date: String
  /// Base64 of the DER signature, as sent.
  package let signature: String
  /// The request's target as sent, from `/database/…` on, with its query.
  package let target: String
  package let body: [UInt8]
  /// A copy of it may be answered too: it changes nothing.
  package let isRead: Bool

  package init(
    keyID: String, date: String, signature: String, target: String, body: [UInt8],
    isRead: Bool = false
  ) {
    self.keyID = keyID
    self.date = date
    self.signature = signature
    self.target = target
    self.body = body
    self.isRead = isRead
  }
}

/// Everything a request says about its sender.
package struct Credentials: Sendable, InContainerEnvironment {
  package var containerEnvironment: ContainerEnvironment
  package var apiToken: String?
  package var webAuthToken: String?
  package var signature: SignedRequest?
  package var device: DeviceID?
  /// The `Origin` header of a browser.
  package var origin: String?
  /// Names the request in logs and pushes.
  package var requestID: String

  package init(
    in containerEnvironment: ContainerEnvironment, apiToken: String? = nil,
    webAuthToken: String? = nil, signature: SignedRequest? = nil, device: DeviceID? = nil,
    origin: String? = nil, requestID: String
  ) {
    self.containerEnvironment = containerEnvironment
    self.apiToken = apiToken
    self.webAuthToken = webAuthToken
    self.signature = signature
    self.device = device
    self.origin = origin
    self.requestID = requestID
  }
}
