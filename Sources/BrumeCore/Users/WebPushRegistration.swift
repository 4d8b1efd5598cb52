// Registering Web Push subscriptions. An address belongs to whoever registered it last: a browser or
// phone that changed hands must not get the pushes of the user before (docs/operating/push.md).

package import BrumeModel
import Crypto

/// Where browsers get their pushes.
package struct WebPushRegistration: Sendable {
  private let limits: Limits
  private let devices: Devices

  init(_ parts: EngineParts) {
    limits = parts.limits
    devices = Devices(parts)
  }

  /// Registers a push subscription for the caller's device.
  ///
  /// - Throws: `badRequest` for keys that are none. Whether the endpoint may be called at all is the
  ///   caller's to check before.
  /// - Returns: the device, which may have entries that waited for an address.
  @discardableResult
  package func register(
    _ target: WebPushTarget, clientID: String?, as caller: Caller
  ) async throws -> DeviceKey {
    guard target.endpoint.utf8.count <= limits.pushURLBytes else {
      throw BrumeError(
        .badRequest,
        "'endpoint' is longer than \(limits.pushURLBytes) bytes; subscribe at a push service "
          + "with shorter addresses")
    }
    guard target.secret.count == 16 else {
      throw BrumeError(
        .badRequest,
        "'keys.auth' must be 16 bytes in base64url; send the keys as the browser's subscription "
          + "has them")
    }
    guard (try? P256.KeyAgreement.PublicKey(x963Representation: target.key)) != nil else {
      throw BrumeError(
        .badRequest,
        "'keys.p256dh' must be an uncompressed P-256 point of 65 bytes in base64url; send the "
          + "keys as the browser's subscription has them")
    }
    return try await devices.put(.webPush(target), clientID, caller)
  }
}
