// What a device's notifications need beyond the stream: the kept ones by token, marking them read,
// the badge. Registering the device is `DeviceRoutes.swift`.

import BrumeCore
import BrumeModel
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
    let body = try call.json().asObject("the body")
    let ids = try body.required("notificationIDs", try body.array("notificationIDs"))
      .map { try KeptNotificationID($0) }
    let marked = try await notifications.markRead(ids, as: call.caller)
    let reply: JSON = ["notificationIDs": .array(marked.map(\.json))]
    return .json(reply.bytes())
  }

  func badge(_ call: Call) async throws -> Reply {
    try await notifications.setBadge(Wire.badge(call.json()), as: call.caller)
    return .empty
  }
}

extension KeptNotificationID {
  /// A text alone means those of all subscriptions: what older clients send, and others of a push that does not
  /// name its subscription.
  fileprivate init(_ json: JSON) throws(BrumeError) {
    if let id = json.string {
      self.init(id)
    } else {
      let object = try json.asObject("each of 'notificationIDs' that is not a text")
      self.init(
        try object.requiredString("notificationID"),
        subscriptionID: try object.string("subscriptionID"))
    }
  }

  /// As it came.
  fileprivate var json: JSON {
    guard let subscriptionID else { return .string(id) }
    return ["notificationID": .string(id), "subscriptionID": .string(subscriptionID)]
  }
}
