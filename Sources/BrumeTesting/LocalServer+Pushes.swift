// What was pushed to a device, without waiting for time to pass: everything that was saved has become
// pushes before it is looked at, so what is not there then does not come. The error says what was
// sent instead.

import BrumeCore
public import BrumeKit
import BrumeModel
import BrumeServer
import BrumeStorage
import Foundation

extension LocalServer {
  /// Pushes wait for the device from now on, as for an app that called `registerForRemoteNotifications()`. A
  /// device that saves a subscription, or listens, needs it no more.
  ///
  /// - Throws: ``UnknownDevice``; `NoSuchPush` for a device without an account.
  public func registerForPushes(_ device: String) async throws {
    let key = try key(of: device)
    let caller = Caller(
      in: containerEnvironment, user: key.user, device: key.device, kind: .user, requestID: "local")
    _ = try await server.engine.devices.register(as: caller)
  }

  /// The first push for a device that is as wanted. It and those before it are gone then, as if the app
  /// had handled them. For devices whose app does not listen itself.
  ///
  /// - Parameter isWanted: without one, any push is.
  /// - Throws: ``NoSuchPush``, which says what was sent instead; ``UnknownDevice``.
  @discardableResult
  public func push(
    to device: String, where isWanted: (CKNotification) -> Bool = { _ in true }
  ) async throws -> CKNotification {
    try await settle()
    try await known(device).receiving.run { try await receive(device) }
    for entry in try known(device).pushes {
      // The test is asked outside of the lock: it may want to know something of the server.
      guard let push = entry.notification, isWanted(push) else { continue }
      // Another task of the test may have taken it meanwhile, or the account is gone.
      if try change(device, { $0.take(through: entry) }) { return push }
    }
    let key = try key(of: device)
    let isRegistered = try await server.store.read { try $0.devices.find(key) != nil }
    let lines = try await pushLines().map { "  " + $0 }
    let reason =
      isRegistered
      ? "" : "; it is not registered: call registerForPushes(\"\(device)\") before the change"
    throw NoSuchPush(
      description: ["no such push for the device '\(device)'\(reason)"]
        + (lines.isEmpty ? ["no push waits for any device"] : ["what waits for devices:"] + lines))
  }

  /// Whatever waits for a device leaves for it, past the faults.
  private func receive(_ device: String) async throws {
    let key = try key(of: device)
    let user = try known(device).user
    let waiting = try await server.store.read { transaction in
      try transaction.mailboxes.entries(of: key, after: 0, limit: .max)
    }
    let leaving = try await server.leaving(waiting, to: key)
    if let last = waiting.last {
      try await server.store.write(in: .account(key)) { transaction in
        try transaction.mailboxes.acknowledge(through: last.position, by: key)
      }
    }
    // They are for nobody who has signed in meanwhile.
    try change(device) { if $0.user == user { $0.pushes += leaving } }
  }

  /// What the test has not taken and what waits for each device, a line each, in their order.
  func pushLines() async throws -> [String] {
    var lines: [String] = []
    for name in deviceNames {
      guard let key = try? key(of: name) else { continue }
      let waiting = try await server.store.read { transaction in
        try transaction.mailboxes.entries(of: key, after: 0, limit: .max)
      }
      let entries = try known(name).pushes + waiting
      lines += entries.compactMap(\.notification).map { "\(name): \($0.line)" }
    }
    return lines
  }

  func key(of name: String) throws -> DeviceKey {
    guard let user = try known(name).user, let id = users[user] else {
      throw NoSuchPush(
        description: ["the device '\(name)' has no account, so nothing is sent to it"])
    }
    return DeviceKey(in: containerEnvironment, user: id, device: DeviceID(name))
  }
}

/// A push that a test expects did not come. The description says what was sent instead.
public struct NoSuchPush: Error, CustomStringConvertible {
  public let description: String

  fileprivate init(description lines: [String]) { description = lines.joined(separator: "\n") }
}

extension MailboxEntry {
  fileprivate var notification: CKNotification? {
    let object = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
    return object.flatMap { CKNotification(fromRemoteNotificationDictionary: $0) }
  }
}

extension CKNotification {
  /// The push in words: its subscription, what changed, and the alert.
  fileprivate var line: String {
    let change =
      switch self {
      case let query as CKQueryNotification: query.words
      case let zone as CKRecordZoneNotification:
        "zone '\(zone.recordZoneID?.zoneName ?? "?")' changed"
      case let database as CKDatabaseNotification: "\(database.databaseScope) database changed"
      default: "fetch everything"
      }
    let words = [
      subscriptionID.map { "subscription '\($0)'" }, change, alertBody.map { "alert \"\($0)\"" },
    ]
    return words.compactMap { $0 }.joined(separator: ", ")
  }
}

extension CKQueryNotification {
  fileprivate var words: String {
    let name = recordID?.recordName ?? "?"
    return switch queryNotificationReason {
    case .recordCreated: "'\(name)' created"
    case .recordUpdated: "'\(name)' updated"
    case .recordDeleted: "'\(name)' deleted"
    @unknown default: "'\(name)' changed"
    }
  }
}
