// The one name that is ours: what Apple's framework takes from the system, a Linux program says
// here. Where the server is and who is signed in, and where pushes come in.

import BrumeClient
import BrumeModel
import Foundation
import Logging

/// What Apple's framework takes from the operating system: the account, and the pushes.
public enum Brume {
  /// A container with settings and an account of its own, for several users or devices in one process.
  ///
  /// `CKContainer.default()` takes its settings from the `BRUME_…` environment variables instead, and shares
  /// its account with each `CKContainer(identifier:)` of its identifier.
  public static func container(_ configuration: Configuration) -> CKContainer {
    CKContainer(configuration.model)
  }

  /// The pushes to a container's user on this device, as the dictionaries that an Apple device
  /// would get.
  ///
  /// ```swift
  /// for await userInfo in Brume.remoteNotifications(for: CKContainer.default()) {
  ///   let notification = CKNotification(fromRemoteNotificationDictionary: userInfo)
  ///   if notification?.notificationType == .database { await fetchChanges() }
  /// }
  /// ```
  ///
  /// At least once: a push counts as received when the loop comes back for the next one. The
  /// stream reconnects by itself. It ends when its task is cancelled, when the account changes, or
  /// when there is no user, in which case the log says why.
  public static func remoteNotifications(
    for container: CKContainer
  ) -> AsyncStream<[AnyHashable: Any]> {
    let pushes = RemoteNotifications(container.connection)
    return AsyncStream(unfolding: { await pushes.next() }, onCancel: { pushes.stop() })
  }

  /// Registers this device for pushes, and returns when that is done.
  ///
  /// Not needed for a device that saves subscriptions or listens already. From here on pushes are
  /// kept for the device, whether or not it listens.
  ///
  /// - Throws: `CKError` if the server cannot be reached or does not take the device.
  public static func registerForRemoteNotifications(for container: CKContainer) async throws {
    do {
      try await container.session.registerDevice()
    } catch {
      throw CKError(converting: error, from: Viewpoint(scope: .private))
    }
  }

  static let log = Logger(label: "brume.client")
}
