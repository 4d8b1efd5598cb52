// The port's part for the notifications kept for a user, and the badge.

package import BrumeModel

/// Every call throws what ``ReadTransaction`` says.
package protocol NotificationReading: AnyObject {
  /// Notifications kept for a user after `position`, oldest first, at most `limit`.
  func kept(
    for user: UserID, in containerEnvironment: ContainerEnvironment, after position: Int64,
    limit: Int
  ) throws -> [KeptNotification]
  /// The badge number last sent to a user's devices.
  func badge(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> Int
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has the user's account.
package protocol NotificationWriting: NotificationReading {
  /// Keeps a notification for a user, dropping the oldest beyond `limit`. Adding the same
  /// notification and subscription ID again does nothing.
  func keep(
    _ notification: KeptNotification, for user: UserID,
    in containerEnvironment: ContainerEnvironment, limit: Int
  ) throws
  /// Marks kept notifications read and moves them to the end of the feed. It returns the IDs found, each once.
  func markRead(
    _ ids: [KeptNotificationID], of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws -> [KeptNotificationID]
  /// Notes the badge number sent last to a user's devices.
  func setBadge(_ value: Int, of user: UserID, in containerEnvironment: ContainerEnvironment) throws
  /// Forgets everything kept for a user, and the badge.
  func removeAll(of user: UserID, in containerEnvironment: ContainerEnvironment) throws
}

extension KeptNotificationID {
  /// The ID by bytes.
  package var byteText: ByteText {
    subscriptionID.map { ByteText(parts: id, $0) } ?? ByteText(id)
  }

  /// Whether it means a notification that is kept under these texts.
  package func matches(_ id: String, _ subscriptionID: String) -> Bool {
    ByteText(self.id) == ByteText(id)
      && self.subscriptionID.map { ByteText($0) == ByteText(subscriptionID) } ?? true
  }
}
