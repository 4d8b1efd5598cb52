// What a device's notifications need beyond the stream: the kept ones by token, marking them read,
// the badge. Registering the device is `DeviceRoutes.swift`.

import BrumeCore
import BrumeWire

struct NotificationRoutes: Sendable {
  let notifications: Notifications

  func changes(_ call: Call) async throws -> Reply {
    let request = try FeedRequest(json: call.json())
    return .json(
      Wire.keptNotifications(
        try await notifications.kept(
          token: request.token, limit: request.limit, as: call.caller,
          decode: { try PushPayload.decode($0) })))
  }

  func read(_ call: Call) async throws -> Reply {
    let json = try call.json()
    // Before each is read: a body holds a hundred thousand.
    try notifications.checkCount(json["notificationIDs"]?.array?.count ?? 0)
    let ids = try Wire.notificationIDs(json)
    return .json(
      Wire.notificationIDs(
        try await notifications.markRead(ids, as: call.caller)))
  }

  func badge(_ call: Call) async throws -> Reply {
    try await notifications.setBadge(Wire.badge(call.json()), as: call.caller)
    return .empty
  }
}
