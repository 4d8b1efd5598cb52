// Notifications kept for a user: our own endpoints under `/_brume/notifications/`, because the web
// protocol has none. The request for a page is a `FeedRequest`.

package import BrumeModel

extension Wire {
  /// A page of kept notifications. Payloads are copied as they were sent.
  package static func keptNotifications(_ page: KeptNotificationsPage) -> [UInt8] {
    let size = page.items.reduce(128) { $0 + $1.payload.count + 160 }
    return bytes(capacity: size) { writer in
      writer.beginObject()
      writer.array("notifications", page.items) { writer, item in
        writer.beginObject()
        writer.member("position", item.position)
        writer.member("notificationID", item.id)
        writer.member("subscriptionID", item.subscriptionID)
        writer.member("read", item.isRead)
        writer.name("payload")
        writer.raw(item.payload)
        writer.endObject()
      }
      writer.member("syncToken", page.token)
      writer.member("moreComing", page.moreComing)
      writer.endObject()
    }
  }

  /// Reads the reply of `notifications/changes`.
  package static func keptNotifications(_ json: JSON) throws(BrumeError) -> KeptNotificationsPage {
    let object = try json.asObject("the reply")
    let items = try object.required("notifications", try object.array("notifications"))
    return KeptNotificationsPage(
      items: try eachElement(of: items, in: "notifications") { item throws(BrumeError) in
        KeptNotification(
          position: try item.int("position") ?? 0, id: try item.requiredString("notificationID"),
          subscriptionID: try item.string("subscriptionID") ?? "",
          payload: try item.required("payload", item["payload"]).bytes(),
          isRead: try item.bool("read") ?? false)
      },
      token: try object.requiredString("syncToken"),
      moreComing: try object.bool("moreComing") ?? false)
  }

  /// Notification IDs: the body and the reply of `/_brume/notifications/read`. One that names no subscription is a text:
  /// what older clients send, and others of a push that does not name its own.
  package static func notificationIDs(_ ids: [KeptNotificationID]) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("notificationIDs", ids) { writer, id in
        guard let subscriptionID = id.subscriptionID else { return writer.string(id.id) }
        writer.beginObject()
        writer.member("notificationID", id.id)
        writer.member("subscriptionID", subscriptionID)
        writer.endObject()
      }
      writer.endObject()
    }
  }

  /// Reads the body and the reply of `notifications/read`.
  package static func notificationIDs(_ json: JSON) throws(BrumeError) -> [KeptNotificationID] {
    let object = try json.asObject("the body")
    var ids: [KeptNotificationID] = []
    for id in try object.required("notificationIDs", try object.array("notificationIDs")) {
      if let text = id.string {
        ids.append(KeptNotificationID(text))
      } else {
        let pair = try id.asObject("each of 'notificationIDs' that is not a text")
        ids.append(
          KeptNotificationID(
            try pair.requiredString("notificationID"),
            subscriptionID: try pair.string("subscriptionID")))
      }
    }
    return ids
  }

  /// The body of `/_brume/notifications/badge`.
  package static func badge(_ value: Int) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("badge", Int64(value))
      writer.endObject()
    }
  }

  /// Reads the body of `notifications/badge`.
  ///
  /// - Throws: `badRequest`, also for a number below 0 or above `Int32.max`.
  package static func badge(_ json: JSON) throws(BrumeError) -> Int {
    let object = try json.asObject("the body")
    let value = try object.required("badge", try object.int("badge"))
    guard (0...Int64(Int32.max)).contains(value) else {
      throw BrumeError(.badRequest, "'badge' must be from 0 to \(Int32.max)")
    }
    return Int(value)
  }
}
