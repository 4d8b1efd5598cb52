// Document 000: a query subscription with a compound predicate and a visible alert, the handling of
// each kind of notification, managing subscriptions, and the anti-patterns with their errors.

import BrumeKit
import Foundation

actor TasksApp: DemoApp {
  private let container: CKContainer
  private var publicDatabase: CKDatabase { container.publicCloudDatabase }

  init(container: CKContainer) { self.container = container }

  func perform(_ command: String, _ arguments: [String]) async throws -> String {
    switch command {
    case "subscribe": return try await subscribe()
    case "add": return try await add(arguments[0], priority: arguments[1])
    case "complete": return try await complete(arguments[0])
    case "delete": return try await delete(arguments[0])
    case "ensure": return try await ensureSubscriptionExists()
    case "kept": return try await keptNotifications()
    case "seed-item": return try await seedItem()
    default: return try await AntiPatterns(container: container).commit(command)
    }
  }

  private func subscribe() async throws -> String {
    let predicate = NSPredicate(
      format: "priority == %@ AND isComplete == %@", "high", NSNumber(value: false))
    let subscription = CKQuerySubscription(
      recordType: "Task", predicate: predicate, subscriptionID: "high-priority-incomplete",
      options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion])
    let notificationInfo = CKSubscription.NotificationInfo()
    notificationInfo.alertBody = "New high-priority task!"
    notificationInfo.soundName = "default"
    notificationInfo.shouldBadge = true
    notificationInfo.desiredKeys = ["title"]
    subscription.notificationInfo = notificationInfo
    try await publicDatabase.save(subscription)
    return "subscribed to urgent tasks"
  }

  private func add(_ title: String, priority: String) async throws -> String {
    let task = CKRecord(recordType: "Task", recordID: CKRecord.ID(recordName: title))
    task["title"] = title
    task["priority"] = priority
    task["isComplete"] = false
    try await publicDatabase.save(task)
    return "added '\(title)', priority \(priority)"
  }

  private func complete(_ title: String) async throws -> String {
    let task = try await publicDatabase.record(for: CKRecord.ID(recordName: title))
    task["isComplete"] = true
    try await publicDatabase.save(task)
    return "completed '\(title)'"
  }

  private func delete(_ title: String) async throws -> String {
    try await publicDatabase.deleteRecord(withID: CKRecord.ID(recordName: title))
    return "deleted '\(title)'"
  }

  private func seedItem() async throws -> String {
    let item = CKRecord(recordType: "Item")
    item["category"] = "news"
    try await publicDatabase.save(item)
    return "saved an Item"
  }

  /// Fetch first, create only if it is not there.
  private func ensureSubscriptionExists() async throws -> String {
    do {
      _ = try await publicDatabase.subscription(for: "high-priority-incomplete")
      return "subscription already exists"
    } catch let error as CKError where error.code == .unknownItem {
      _ = try await subscribe()
      return "subscription created"
    }
  }

  /// The notifications that the server kept, marked read afterwards.
  private func keptNotifications() async throws -> String {
    let operation = CKFetchNotificationChangesOperation(previousServerChangeToken: nil)
    let kept = Collected<CKNotification>()
    operation.notificationChangedBlock = { kept.append($0) }
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      operation.fetchNotificationChangesCompletionBlock = { _, error in
        if let error { done.resume(throwing: error) } else { done.resume() }
      }
      container.add(operation)
    }
    let ids = kept.values.compactMap(\.notificationID)
    let mark = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: ids)
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      mark.markNotificationsReadCompletionBlock = { _, error in
        if let error { done.resume(throwing: error) } else { done.resume() }
      }
      container.add(mark)
    }
    let read = kept.values.count { $0.notificationType == .readNotification }
    return "\(kept.values.count) kept, \(read) read before; all marked read"
  }

  func received(_ notification: CKNotification) async throws -> String {
    switch notification.notificationType {
    case .query: return handleQueryNotification(notification as! CKQueryNotification)
    case .recordZone: return "a zone changed"
    case .database: return "a database changed"
    case .readNotification: return "read elsewhere"
    @unknown default: return "unknown"
    }
  }

  private func handleQueryNotification(_ notification: CKQueryNotification) -> String {
    let name = notification.recordID?.recordName ?? "?"
    switch notification.queryNotificationReason {
    case .recordCreated:
      return "created: \(name), title \(notification.recordFields?["title"] ?? "-")"
    case .recordUpdated: return "updated: \(name)"
    case .recordDeleted: return "deleted: \(name)"
    @unknown default: return "unknown reason"
    }
  }
}

/// Values that arrive in callbacks on an operation's own queue.
// Sendable because the lock guards the only stored state.
final class Collected<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: [Value] = []
  func append(_ value: Value) { lock.withLock { stored.append(value) } }
  var values: [Value] { lock.withLock { stored } }
}
