// Kept notifications and badges in memory.

import BrumeModel

final class MemoryNotifications: MemoryFeature, NotificationWriting {
  func kept(
    for user: UserID, in containerEnvironment: ContainerEnvironment, after position: Int64,
    limit: Int
  ) throws -> [KeptNotification] {
    let kept = draft.state.kept[place(user, containerEnvironment)] ?? []
    return Array(kept.filter { $0.position > position }.prefix(limit))
  }

  func keep(
    _ notification: KeptNotification, for user: UserID,
    in containerEnvironment: ContainerEnvironment, limit: Int
  ) throws {
    draft.requireScope(.account(user, containerEnvironment))
    let place = place(user, containerEnvironment)
    let name = ByteText(parts: notification.id, notification.subscriptionID)
    var kept = draft.state.kept[place] ?? []
    guard !kept.contains(where: { ByteText(parts: $0.id, $0.subscriptionID) == name }) else {
      return
    }
    kept.append(moved(notification, isRead: notification.isRead))
    draft.state.kept[place] = Array(kept.suffix(max(0, limit)))
  }

  func markRead(
    _ ids: [KeptNotificationID], of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws -> [KeptNotificationID] {
    draft.requireScope(.account(user, containerEnvironment))
    let place = place(user, containerEnvironment)
    var found: [KeptNotificationID] = []
    var (asked, read) = (Set<ByteText>(), Set<ByteText>())
    for id in ids where asked.insert(id.byteText).inserted {
      let kept = draft.state.kept[place] ?? []
      guard kept.contains(where: { id.matches($0.id, $0.subscriptionID) }) else { continue }
      let (hit, rest) = kept.split {
        id.matches($0.id, $0.subscriptionID)
          && !read.contains(ByteText(parts: $0.id, $0.subscriptionID))
      }
      read.formUnion(hit.map { ByteText(parts: $0.id, $0.subscriptionID) })
      draft.state.kept[place] = rest + hit.map { moved($0, isRead: true) }
      found.append(id)
    }
    return found
  }

  func badge(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> Int {
    draft.state.badges[place(user, containerEnvironment)] ?? 0
  }

  func setBadge(
    _ value: Int, of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws {
    draft.requireScope(.account(user, containerEnvironment))
    draft.state.badges[place(user, containerEnvironment)] = value
  }

  func removeAll(of user: UserID, in containerEnvironment: ContainerEnvironment) throws {
    draft.requireScope(.account(user, containerEnvironment))
    draft.state.kept[place(user, containerEnvironment)] = nil
    draft.state.badges[place(user, containerEnvironment)] = nil
  }

  private func place(_ user: UserID, _ containerEnvironment: ContainerEnvironment) -> ByteText {
    ByteText(
      parts: containerEnvironment.container.name, containerEnvironment.environment.rawValue,
      user.name)
  }

  /// The notification at the end of the feed.
  private func moved(_ notification: KeptNotification, isRead: Bool) -> KeptNotification {
    draft.state.lastKeptPosition += 1
    return KeptNotification(
      position: draft.state.lastKeptPosition, id: notification.id,
      subscriptionID: notification.subscriptionID, payload: notification.payload, isRead: isRead)
  }
}

extension Array {
  fileprivate func split(_ condition: (Element) -> Bool) -> (hit: [Element], rest: [Element]) {
    (filter(condition), filter { !condition($0) })
  }
}
