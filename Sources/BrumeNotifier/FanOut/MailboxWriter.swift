// The writer puts one notification into one device's mailbox: merging, moving what waits, overflow.
//
// A mailbox has a bound. Beyond it, everything in it is replaced by one "fetch everything"; silence
// is never the answer (docs/internals/notifications.md, N6).

import BrumeCore
import BrumeModel
import BrumeStorage

struct MailboxWriter {
  struct Delivery {
    let notification: Notification
    let payload: [UInt8]
    let subscription: StoredSubscription
    let requestID: String
    /// Where the change is in the log.
    let change: Int64
  }
  struct Result: Equatable {
    /// As it is in the mailbox.
    let entry: MailboxEntry
    var signalsReader: Bool
    var overflowed = false
    /// The log position of the change whose push it replaced, if that was still there.
    var replaced: Int64?
  }

  let mailboxes: any MailboxWriting
  let limits: Limits
  let now: Milliseconds
  let wasSetBack: Bool
  /// Devices that get an entry as soon as it is durable.
  let connected: [UserID: Set<DeviceKey>]
  /// Whether devices may be connected to other processes, which know of that alone. Then each that fetches counts as
  /// connected: what waits for one that is away is due a window later, and nobody waits for that.
  var othersConnect = false
  /// Of the users whose devices are written to.
  var coalescers: [UserID: Coalescer]

  mutating func put(
    _ delivery: Delivery, to recipient: Device, orFetchEverything: () -> [UInt8]
  ) throws -> Result {
    let device = recipient.key
    let key = Coalescer.key(
      for: delivery.notification, of: delivery.subscription, to: device)
    let isUndelivered = try !isConnected(recipient) && hasUndelivered(key)
    let action = coalesce(device) { [now, wasSetBack] in
      $0.changed(device, key, now: now, wasSetBack: wasSetBack, isUndelivered: isUndelivered)
    }
    let replaced = action.replaces == nil ? nil : lastChange(key)
    if let old = action.replaces { try mailboxes.remove(at: old, of: device) }
    if try mailboxes.count(of: device) >= limits.mailboxRows {
      let entry = try replaceEverything(delivery, device, orFetchEverything())
      return Result(entry: entry, signalsReader: true, overflowed: true)
    }
    var entry = entry(
      delivery, subscriptionID: delivery.subscription.subscription.id, delivery.payload,
      due: action.due)
    entry.position = try mailboxes.enqueue(entry, to: device)
    if let key {
      coalesce(device) { [now] in
        $0.enqueued(
          device, key, at: entry.position, of: delivery.change, due: action.due, now: now)
      }
    }
    for waiting in action.moves { try moveToEnd(waiting, device) }
    return Result(entry: entry, signalsReader: action.signalsReader, replaced: replaced)
  }

  private func lastChange(_ key: Coalescer.Key?) -> Int64? {
    key.flatMap { coalescers[$0.device.user]?.lastChange($0) }
  }

  /// Whether the last push under this key was due and still nobody has taken it: then the one that
  /// replaces it takes its place and does not begin to wait.
  private func hasUndelivered(_ key: Coalescer.Key?) throws -> Bool {
    guard let key, key.collapseID == nil,
      let last = coalescers[key.device.user]?.last(key, dueBy: now)
    else { return false }
    return try mailboxes.entry(at: last, of: key.device) != nil
  }

  private func isConnected(_ device: Device) -> Bool {
    if connected[device.key.user]?.contains(device.key) == true { return true }
    return switch device.channel {
    case .stream, .courier: othersConnect
    case .apns, .webPush: false
    }
  }

  private mutating func replaceEverything(
    _ delivery: Delivery, _ device: DeviceKey, _ payload: [UInt8]
  ) throws -> MailboxEntry {
    coalesce(device) { $0.emptied(device) }
    try mailboxes.acknowledge(through: .max, by: device)
    var entry = entry(delivery, subscriptionID: "", payload, due: now)
    entry.position = try mailboxes.enqueue(entry, to: device)
    return entry
  }

  /// A reader delivers from the front and stops at the first entry that is not due, so those that
  /// wait have to be last.
  private mutating func moveToEnd(_ position: Int64, _ device: DeviceKey) throws {
    guard let found = try mailboxes.entry(at: position, of: device) else {
      return coalesce(device) { $0.moved(device, from: position, to: nil) }
    }
    try mailboxes.remove(at: position, of: device)
    let new = try mailboxes.enqueue(found, to: device)
    coalesce(device) { $0.moved(device, from: position, to: new) }
  }

  private mutating func coalesce<Value>(
    _ device: DeviceKey, _ change: (inout Coalescer) -> Value
  ) -> Value {
    let new = Coalescer(window: limits.coalescingWindow, capacity: limits.coalescedKeysPerUser)
    return change(&coalescers[device.user, default: new])
  }

  private func entry(
    _ delivery: Delivery, subscriptionID: String, _ payload: [UInt8], due: Milliseconds
  ) -> MailboxEntry {
    MailboxEntry(
      position: 0, notificationID: delivery.notification.id, subscriptionID: subscriptionID,
      collapseID: delivery.notification.collapseID, payload: payload, time: due,
      requestID: delivery.requestID)
  }
}
