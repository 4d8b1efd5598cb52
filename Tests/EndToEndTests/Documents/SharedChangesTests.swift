// Document 004: on launch fetch changes and subscribe once, on push fetch changes; shared database.

import BrumeKit
import Foundation
import Testing

/// The talk's code on one device; `NSError` and `NSObject` became today's types.
private final class SharedChanges: @unchecked Sendable {
  // Sendable because its callbacks come one after the other, and are waited for.
  let sharedDB: CKDatabase
  var subscriptionIslocallyCached = false
  var sharedDBChangeToken: CKServerChangeToken?
  var changedZoneIDs: [CKRecordZone.ID] = []
  var zoneTokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
  var records: [CKRecord.ID: CKRecord] = [:]

  init(_ device: Device) { sharedDB = device.shared }

  func subscribe() async {
    if subscriptionIslocallyCached { return }
    let subscription = CKDatabaseSubscription(subscriptionID: "shared-changes")
    let notificationInfo = CKNotificationInfo()
    notificationInfo.shouldSendContentAvailable = true
    subscription.notificationInfo = notificationInfo
    let operation = CKModifySubscriptionsOperation(
      subscriptionsToSave: [subscription], subscriptionIDsToDelete: [])
    await withCheckedContinuation { done in
      operation.modifySubscriptionsCompletionBlock = { _, _, error in
        if error == nil { self.subscriptionIslocallyCached = true }
        done.resume()
      }
      operation.qualityOfService = .utility
      self.sharedDB.add(operation)
    }
  }

  /// Answers whether the push was for us.
  func received(_ userInfo: [AnyHashable: Any]) async -> Bool {
    let notification = CKNotification(fromRemoteNotificationDictionary: userInfo)
    guard notification?.subscriptionID == "shared-changes" else { return false }
    await fetchSharedChanges()
    return true
  }

  func fetchSharedChanges() async {
    await withCheckedContinuation { done in fetchSharedChanges { done.resume() } }
  }

  private func fetchSharedChanges(_ callback: @escaping () -> Void) {
    let changesOperation = CKFetchDatabaseChangesOperation(
      previousServerChangeToken: sharedDBChangeToken)  // previously cached

    changesOperation.fetchAllChanges = true
    changesOperation.recordZoneWithIDChangedBlock = { self.changedZoneIDs.append($0) }
    changesOperation.recordZoneWithIDWasDeletedBlock = { zoneID in
      self.zoneTokens[zoneID] = nil
      self.records = self.records.filter { $0.key.zoneID != zoneID }
    }
    changesOperation.changeTokenUpdatedBlock = { self.sharedDBChangeToken = $0 }
    changesOperation.fetchDatabaseChangesCompletionBlock = {
      (newToken: CKServerChangeToken?, more: Bool, error: (any Error)?) -> Void in
      #expect(error == nil && !more)
      self.sharedDBChangeToken = newToken
      self.fetchZoneChanges(callback)
    }
    self.sharedDB.add(changesOperation)
  }

  private func fetchZoneChanges(_ callback: @escaping () -> Void) {
    var configurations: [CKRecordZone.ID: CKFetchRecordZoneChangesOperation.ZoneConfiguration] = [:]
    for zone in changedZoneIDs {
      configurations[zone] = .init(previousServerChangeToken: zoneTokens[zone])
    }
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: changedZoneIDs, configurationsByRecordZoneID: configurations)
    changedZoneIDs = []
    operation.recordWasChangedBlock = { self.records[$0] = try? $1.get() }
    operation.recordWithIDWasDeletedBlock = { id, _ in self.records[id] = nil }
    operation.recordZoneFetchResultBlock = {
      self.zoneTokens[$0] = try? $1.get().serverChangeToken
    }
    operation.fetchRecordZoneChangesCompletionBlock = { error in
      #expect(error == nil)
      callback()
    }
    sharedDB.add(operation)
  }

  var notes: [String] { records.values.compactMap { $0["text"] as String? }.sorted() }
}

@Suite(.timeLimit(.minutes(10)))
struct SharedChangesTests {
  @Test(arguments: StorageEngine.allCases)
  func `004 each push of the shared database leads to exactly what changed`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let owner = try await fixture.device("alice", "phone")
      let guest = try await fixture.device("bob", "phone")
      let app = SharedChanges(guest)
      // On app launch: fetch changes, subscribe to future changes.
      await app.fetchSharedChanges()
      await app.subscribe()
      #expect(app.sharedDBChangeToken != nil && app.subscriptionIslocallyCached)
      let inbox = try await Inbox(guest)

      try await owner.makeZone("Trip")
      try await owner.save("a", zone: "Trip", ["text": "Lisbon"])
      let share = CKShare(recordZoneID: .named("Trip"))
      share.publicPermission = .readWrite
      try await owner.database.save(share)
      let metadata = try await guest.container.shareMetadata(for: try #require(share.url))
      try await guest.container.accept(metadata)
      // Whether accepting notifies the device that accepted does not matter: it fetches.
      await app.fetchSharedChanges()
      #expect(app.notes == ["Lisbon"])

      try await owner.save("b", zone: "Trip", ["text": "Porto"])
      while app.notes != ["Lisbon", "Porto"] {
        #expect(await app.received(try await inbox.userInfo()))
      }
      try await owner.database.deleteRecord(withID: .named("a", zone: "Trip"))
      #expect(await app.received(try await inbox.userInfo()))
      #expect(app.notes == ["Porto"])
      try await owner.database.deleteRecordZone(withID: .named("Trip"))
      #expect(await app.received(try await inbox.userInfo()))
      #expect(app.notes.isEmpty && app.zoneTokens.isEmpty)
    }
  }
}
