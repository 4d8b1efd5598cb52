// The subscription to the database, by which an engine that syncs by itself gets pushes.

import Logging
import Synchronization

extension SyncJobs {
  /// Sees to it that the database has a subscription. Engines that only sync when asked need none. Without one an
  /// engine gets no pushes, and fetches all the same.
  func subscribe() async throws {
    let mayBeGone = subscriptionMayBeGone.exchange(false, ordering: .relaxed)
    guard isAutomatic, mayBeGone || usedSubscription.withLock({ $0 }) == nil else { return }
    do { try await useSubscription() } catch {
      subscriptionMayBeGone.store(true, ordering: .relaxed)
      guard let error = error as? CKError, !error.isRepeatedBySyncEngine else { throw error }
      Brume.log.error(
        "A sync engine has no subscription",
        metadata: ["sync.error": "\(error.localizedDescription)"]
      )
    }
  }

  /// Finds the subscription, or makes one.
  private func useSubscription() async throws {
    let there = try await database.allSubscriptions()
    if let id = subscriptionID, there.contains(where: { $0.subscriptionID == id }) {
      return usedSubscription.withLock { $0 = id }
    }
    // The app's own stays as the app made it. Another one for all changes would be its duplicate.
    let found = there.first {
      if let one = $0 as? CKDatabaseSubscription { one.recordType == nil } else { false }
    }
    let id =
      if let found { found.subscriptionID } else { try await saveSubscription() }
    usedSubscription.withLock { $0 = id }
  }

  private func saveSubscription() async throws -> CKSubscription.ID {
    let name = database.databaseScope == .shared ? "Shared" : "Private"
    let subscription = CKDatabaseSubscription(
      subscriptionID: subscriptionID ?? "CKSyncEngineDatabaseSubscription-\(name)")
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info
    return try await database.save(subscription).subscriptionID
  }
}
