// Document 003: experts for genres are notified of new whistles by others.

import BrumeKit
import Foundation
import Synchronization
import Testing

/// The tutorial's view controller without its views. Its handlers count down what is still under
/// way, so that a test can go on when everything is done.
private final class MyGenresViewController: Sendable {
  let device: Device
  let myGenres: [String]

  init(_ device: Device, _ myGenres: [String]) {
    self.device = device
    self.myGenres = myGenres
  }

  /// Answers how many old subscriptions were flushed.
  @discardableResult
  func saveTapped() async throws -> Int {
    let database = device.everybodys
    let flushed: Int = try await withCheckedThrowingContinuation { done in
      database.fetchAllSubscriptions { subscriptions, error in
        if error == nil {
          if let subscriptions = subscriptions {
            let count = subscriptions.count
            if count == 0 { done.resume(returning: 0) }
            let finished = Countdown(count) { done.resume(returning: count) }
            for subscription in subscriptions {
              database.delete(withSubscriptionID: subscription.subscriptionID) { str, error in
                #expect(error == nil)
                finished.one()
              }
            }
          }
        } else {
          done.resume(throwing: error!)
        }
      }
    }
    await withCheckedContinuation { done in
      let finished = Countdown(myGenres.count) { done.resume() }
      for genre in self.myGenres {
        let predicate = NSPredicate(format: "genre = %@", genre)
        let subscription = CKQuerySubscription(
          recordType: "Whistles", predicate: predicate, options: .firesOnRecordCreation)

        let notification = CKSubscription.NotificationInfo()
        notification.alertBody = "There's a new whistle in the \(genre) genre."
        notification.soundName = "default"

        subscription.notificationInfo = notification

        database.save(subscription) { result, error in
          #expect(error == nil)
          finished.one()
        }
      }
    }
    return flushed
  }

  func submitWhistle(_ genre: String) async throws -> CKRecord {
    let whistle = CKRecord(recordType: "Whistles")
    whistle["genre"] = genre
    whistle["comments"] = "Name that tune"
    return try await device.everybodys.save(whistle)
  }
}

/// Calls a function when as many handlers were called as were expected.
private final class Countdown: Sendable {
  private let left: Mutex<Int>
  private let end: @Sendable () -> Void

  init(_ count: Int, _ end: @escaping @Sendable () -> Void) {
    left = Mutex(count)
    self.end = end
  }

  func one() {
    let isLast = left.withLock { left in
      left -= 1
      return left == 0
    }
    if isLast { end() }
  }
}

@Suite(.timeLimit(.minutes(10)))
struct WhistlesTests {
  @Test(arguments: StorageEngine.allCases)
  func `003 an expert gets an alert with sound for whistles in his genres by others`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let expert = MyGenresViewController(
        try await fixture.device("alice", "phone"), ["Jazz", "Blues"])
      let whistler = MyGenresViewController(try await fixture.device("bob", "phone"), ["Jazz"])
      _ = try await whistler.submitWhistle("Unknown")
      #expect(try await expert.saveTapped() == 0)
      // Again: the old ones are flushed, so that there are no duplicate errors.
      #expect(try await expert.saveTapped() == 2)
      #expect(try await expert.device.everybodys.allSubscriptions().count == 2)
      try await whistler.saveTapped()
      let inboxes = (
        expert: try await Inbox(expert.device), whistler: try await Inbox(whistler.device)
      )
      _ = try await whistler.submitWhistle("Rock")
      let jazz = try await whistler.submitWhistle("Jazz")
      let push = try await inboxes.expert.nextQuery()
      #expect(push.alertBody == "There's a new whistle in the Jazz genre.")
      #expect(push.soundName == "default" && push.queryNotificationReason == .recordCreated)
      #expect(push.recordID == jazz.recordID && push.databaseScope == .public)
      let whistle = try await expert.device.everybodys.record(for: try #require(push.recordID))
      #expect(whistle["comments"] == "Name that tune")

      // The whistler is never notified of his own whistle: his first push is the expert's.
      let answer = try await expert.submitWhistle("Jazz")
      #expect(try await inboxes.whistler.nextQuery().recordID == answer.recordID)
      _ = try await whistler.submitWhistle("Blues")
      #expect(
        try await inboxes.expert.next().alertBody == "There's a new whistle in the Blues genre.")
    }
  }
}
