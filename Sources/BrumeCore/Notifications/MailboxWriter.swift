// Puts one notification into one device's mailbox: merging, moving what waits, overflow.
//
// A mailbox has a bound. Beyond it, everything in it is replaced by one "fetch everything"; silence
// is never the answer (reliability N6).

import BrumeModel
import BrumeStorage

struct MailboxWriter {
  /// Runs one decision of the coalescer.
  typealias Decide = @Sendable ((inout Coalescer) -> Coalescer.Action?) -> Coalescer.Action?

  struct Delivery {
    let notification: Notification
    let payload: [UInt8]
    let subscription: StoredSubscription
    let device: DeviceKey
    let requestID: String
  }
  struct Result: Equatable {
    var wakes: Bool
    var overflowed = false
  }

  let transaction: any WriteTransaction
  let limits: Limits
  let now: Milliseconds
  let coalescer: Decide

  func put(_ delivery: Delivery, orFetchEverything: () -> [UInt8]) throws -> Result {
    let device = delivery.device
    let key = Coalescer.key(
      for: delivery.notification, of: delivery.subscription, to: device)
    let action =
      coalescer { $0.changed(device, key, now: now) } ?? Coalescer.Action(due: now)
    if let old = action.replaces { try transaction.removeMailboxEntry(at: old, of: device) }
    if try transaction.mailboxCount(device) >= limits.mailboxRows {
      try replaceEverything(delivery, orFetchEverything())
      return Result(wakes: true, overflowed: true)
    }
    let position = try transaction.enqueue(
      entry(
        delivery, sid: delivery.subscription.subscription.id, delivery.payload, due: action.due),
      to: device)
    coalesce { $0.enqueued(device, key, at: position, due: action.due, now: now) }
    for waiting in action.moves { try moveToEnd(waiting, device) }
    return Result(wakes: action.wakes)
  }

  private func replaceEverything(_ delivery: Delivery, _ payload: [UInt8]) throws {
    coalesce { $0.emptied(delivery.device) }
    try transaction.acknowledge(through: .max, by: delivery.device)
    try transaction.enqueue(
      entry(delivery, sid: "", payload, due: now), to: delivery.device)
  }

  /// A reader delivers from the front and stops at the first entry that is not due, so those that
  /// wait have to be last.
  private func moveToEnd(_ position: Int64, _ device: DeviceKey) throws {
    let found = try transaction.mailbox(device, after: position - 1, limit: 1).first
    guard let found, found.position == position else {
      return coalesce { $0.moved(device, from: position, to: nil) }
    }
    try transaction.removeMailboxEntry(at: position, of: device)
    let new = try transaction.enqueue(found, to: device)
    coalesce { $0.moved(device, from: position, to: new) }
  }

  private func coalesce(_ change: (inout Coalescer) -> Void) {
    _ = coalescer {
      change(&$0)
      return nil
    }
  }

  private func entry(
    _ delivery: Delivery, sid: String, _ payload: [UInt8], due: Milliseconds
  ) -> MailboxEntry {
    MailboxEntry(
      position: 0, notificationID: delivery.notification.id, subscriptionID: sid,
      collapseID: delivery.notification.collapseID, payload: payload, time: due,
      requestID: delivery.requestID)
  }
}
