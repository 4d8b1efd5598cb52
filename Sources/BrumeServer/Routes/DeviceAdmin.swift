// Devices of users, and pushes to try them, for the command line.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import BrumeWire

struct DeviceAdmin: Sendable {
  let testPushes: TestPushes
  let delivery: ServerDelivery
  let store: any Store
  let users: NamedUsers
  /// Users whose devices are in one answer.
  let mostUsers: Int

  /// Devices of one user, or of all of them in name order, some users at a time: the next call names the answer's `after`.
  func list(_ call: Call) async throws -> Reply {
    let place = call.containerEnvironment
    let part = try ListRequest(after: call.query["after"], limit: call.query["limit"])
    let size = min(part.limit ?? mostUsers, mostUsers)
    // Nobody's devices are another answer than none.
    var named: User?
    if let name = call.query["user"] { named = try await users.user(name) }
    let (found, last) = try await store.read { [named] store in
      let all = try named.map { [$0] } ?? store.users.page(after: part.after, limit: size + 1)
      let found = try all.prefix(size).flatMap { user in
        try store.devices.all(of: user.id, in: place).map {
          Self.describe($0, of: user, waiting: try store.mailboxes.count(of: $0.key))
        }
      }
      return (found, all.count > size ? all[size - 1].name : nil)
    }
    var answer = JSONObject()
    answer["devices"] = .array(found)
    answer["after"] = last.map { .string($0) }
    return .json(.object(answer))
  }

  private static func describe(_ device: Device, of user: User, waiting: Int) -> JSON {
    [
      "user": .string(user.name), "device": .string(device.key.device.name),
      "channel": .string(device.channel.kind.rawValue), "waiting": .int(Int64(waiting)),
    ]
  }

  /// Puts a notification into the mailboxes of a user's devices, as a subscription would.
  func testPush(_ call: Call) async throws -> Reply {
    let (push, user) = try await composed(call)
    let sent = try await testPushes.send(
      push, to: user, in: call.containerEnvironment, requestID: call.caller.requestID)
    delivery.notify(Set(sent.devices))
    var answer = try Self.describe(push)
    answer["devices"] = .int(Int64(sent.devices.count))
    answer["full"] = .int(Int64(sent.full))
    return .json(.object(answer))
  }

  /// Has what failed sent again now, to all devices and webhooks, or to one.
  func retry(_ call: Call) async throws -> Reply {
    let json = try call.object()
    let place = call.containerEnvironment
    var user: UserID?
    if let name = try json.string("user") { user = try await users.user(name).id }
    let device = try json.string("device")
    let webhooks = Set(
      try await store.read { try $0.webhooks.all() }.filter { $0.containerEnvironment == place }
        .map(\.id))
    let count = delivery.worker.retry { lane in
      switch lane {
      case .device(let key):
        key.containerEnvironment == place && (user.map { $0 == key.user } ?? true)
          && (device.map { $0 == key.device.name } ?? true)
      case .webhook(let id):
        user == nil && webhooks.contains(id) && (device.map { $0 == id } ?? true)
      }
    }
    return .json(["retried": .int(Int64(count))])
  }

  /// Shows what `testPush` would send, and sends nothing.
  func previewPush(_ call: Call) async throws -> Reply {
    .json(.object(try Self.describe(try await composed(call).push)))
  }

  private func composed(
    _ call: Call
  ) async throws -> (push: TestPushes.Composed, user: UserID) {
    let json = try call.object()
    let user = try await users.user(json.text("user")).id
    let push = testPushes.compose(
      try json.string("text") ?? "A test push from Brume", to: user, in: call.containerEnvironment,
      encode: PushPayload.encode)
    return (push, user)
  }

  private static func describe(_ push: TestPushes.Composed) throws -> JSONObject {
    var object = JSONObject()
    object["notification"] = .string(push.notificationID)
    object["payload"] = try JSON(parsing: push.payload)
    object["bytes"] = .int(Int64(push.payload.count))
    object["mostBytes"] = .int(Int64(push.mostBytes))
    object["cut"] = .bool(push.isCut)
    return object
  }
}
