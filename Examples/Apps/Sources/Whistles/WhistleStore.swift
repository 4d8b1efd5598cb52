// Whistles of which everybody can be notified: records of the public database, and one query subscription for
// each genre that the user likes, with an alert.

import CloudKit
import Foundation

public struct Whistle: Equatable, Sendable {
  public let id: CKRecord.ID
  public let genre: String
  public let comments: String
}

public struct WhistleStore: Sendable {
  public static let genres = [
    "Unknown", "Blues", "Classical", "Electronic", "Jazz", "Metal", "Pop", "Reggae", "RnB", "Rock",
    "Soul",
  ]
  private let database: CKDatabase

  public init(container: CKContainer) { database = container.publicCloudDatabase }

  // MARK: Whistles

  public func publish(genre: String, comments: String) async throws -> Whistle {
    let record = CKRecord(recordType: "Whistles")
    record["genre"] = genre
    record["comments"] = comments
    return Self.whistle(try await database.save(record))
  }

  /// The newest whistles first.
  public func newest(limit: Int = 50) async throws -> [Whistle] {
    let query = CKQuery(recordType: "Whistles", predicate: NSPredicate(value: true))
    query.sortDescriptors = [NSSortDescriptor(key: "creationDate", ascending: false)]
    let answer = try await database.records(
      matching: query, desiredKeys: ["genre", "comments"], resultsLimit: limit)
    return answer.matchResults.compactMap { try? $0.1.get() }.map(Self.whistle)
  }

  public func whistle(_ id: CKRecord.ID) async throws -> Whistle {
    Self.whistle(try await database.record(for: id))
  }

  private static func whistle(_ record: CKRecord) -> Whistle {
    Whistle(
      id: record.recordID, genre: record["genre"] as? String ?? "Unknown",
      comments: record["comments"] as? String ?? "")
  }

  // MARK: Genres

  /// Replaces the genres of which the user is notified.
  public func follow(_ genres: [String]) async throws {
    let old = try await database.allSubscriptions()
    for subscription in old {
      try await database.deleteSubscription(withID: subscription.subscriptionID)
    }
    for genre in genres { try await database.save(Self.subscription(to: genre)) }
  }

  private static func subscription(to genre: String) -> CKQuerySubscription {
    let subscription = CKQuerySubscription(
      recordType: "Whistles", predicate: NSPredicate(format: "genre = %@", genre),
      options: .firesOnRecordCreation)
    let info = CKSubscription.NotificationInfo()
    info.alertBody = "There's a new whistle in the \(genre) genre."
    info.soundName = "default"
    subscription.notificationInfo = info
    return subscription
  }

  /// What the app does with a push: the text to show, and the whistle that it is about.
  nonisolated(nonsending) public func alert(
    _ userInfo: [AnyHashable: Any]
  ) async throws -> (text: String, whistle: Whistle)? {
    guard
      let push = CKNotification(fromRemoteNotificationDictionary: userInfo) as? CKQueryNotification,
      let text = push.alertBody, let id = push.recordID
    else { return nil }
    return (text, try await whistle(id))
  }
}
