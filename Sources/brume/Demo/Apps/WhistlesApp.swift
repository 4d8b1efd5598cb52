// Document 003: experts subscribe to genres in the public database and are alerted when somebody
// else publishes a whistle.

import BrumeKit
import Foundation

actor WhistlesApp: DemoApp {
  private let database: CKDatabase
  init(container: CKContainer) { database = container.publicCloudDatabase }

  func perform(_ command: String, _ arguments: [String]) async throws -> String {
    switch command {
    case "genres": return try await save(genres: arguments)
    case "whistle": return try await publish(genre: arguments[0])
    case "subscriptions": return "\(try await database.allSubscriptions().count) subscriptions"
    default: throw UnknownDemoCommand(command)
    }
  }

  /// Old subscriptions are flushed first, so that the server finds no duplicates.
  private func save(genres: [String]) async throws -> String {
    let old = try await database.allSubscriptions()
    for subscription in old {
      try await database.deleteSubscription(withID: subscription.subscriptionID)
    }
    for genre in genres {
      let predicate = NSPredicate(format: "genre = %@", genre)
      let subscription = CKQuerySubscription(
        recordType: "Whistles", predicate: predicate, subscriptionID: UUID().uuidString,
        options: .firesOnRecordCreation)
      let notification = CKSubscription.NotificationInfo()
      notification.alertBody = "There's a new whistle in the \(genre) genre."
      notification.soundName = "default"
      subscription.notificationInfo = notification
      try await database.save(subscription)
    }
    return "flushed \(old.count), subscribed to \(genres.joined(separator: " and "))"
  }

  private func publish(genre: String) async throws -> String {
    let whistle = CKRecord(recordType: "Whistles")
    whistle["genre"] = genre
    whistle["comments"] = "What is this?"
    try await database.save(whistle)
    return "published a whistle: \(genre)"
  }

  func received(_ notification: CKNotification) async throws -> String {
    guard let notification = notification as? CKQueryNotification,
      let recordID = notification.recordID
    else { return "not about a whistle: \(notification)" }
    let whistle = try await database.record(for: recordID)
    return "fetched the whistle: \(whistle["genre"] as? String ?? "?")"
  }
}
