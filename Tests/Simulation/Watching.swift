// Query subscriptions that alice's app makes by hand, beside those of its sync engine.

import BrumeKit
import Foundation

/// What a deed asks for.
struct Wish: Sendable {
  let id: String
  let options: CKQuerySubscription.Options
  let isEven: Bool
  let isOfNotes: Bool

  var subscription: CKQuerySubscription {
    let predicate =
      isEven ? NSPredicate(format: "even == %@", "yes") : NSPredicate(value: true)
    let subscription = CKQuerySubscription(
      recordType: "Note", predicate: predicate, subscriptionID: id, options: options)
    if isOfNotes { subscription.zoneID = NotesApp.notes }
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    subscription.notificationInfo = info
    return subscription
  }
}

extension Hand {
  func watch(_ wish: Wish) async {
    do { _ = try await database.save(wish.subscription) } catch {
      device.world.note("not watched: \(error)")
    }
  }

  func stopWatching(_ id: String) async {
    do { _ = try await database.deleteSubscription(withID: id) } catch {
      device.world.note("watched still: \((error as? CKError)?.code.rawValue ?? 0)")
    }
  }
}
