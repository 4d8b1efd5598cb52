// What the history says of one change, and what later changes did to its pushes while they waited.

import BrumeCore
import BrumeModel
import BrumeStorage

struct ServedPart {
  let deliveries: [ServedDelivery]
  /// Of the store, when the notifications were made.
  let generation: Int64
  private let rows: [ServedChange]
  private let entry: LogEntry
  private let bucket: Bucket
  private let transaction: any ReadTransaction
  /// Ours: rows of the history that are read at once.
  private static let page = 256

  init(
    of entry: LogEntry, in bucket: Bucket, _ transaction: any ReadTransaction
  ) throws {
    self.entry = entry
    self.bucket = bucket
    self.transaction = transaction
    rows = try transaction.history.served(at: entry.position, in: bucket)
    deliveries = rows.flatMap { ServedDelivery.all(in: $0.bytes) }
    generation = rows.first?.generation ?? 0
  }

  /// Whether the notifier is done with the change. It passes what concerns nobody without noting that, so the
  /// answer may be no a little too long.
  func isBehindCursor() throws -> Bool {
    try entry.position <= NotifierCursor(of: bucket, from: transaction).position
  }

  /// What later changes did to the pushes of this one. It reads all that the history has of later ones, once.
  func laterChanges() throws -> LaterChanges {
    let users = Set(deliveries.map(\.user))
    var later = LaterChanges()
    var last = rows.last?.last ?? .max
    var page: [ServedChange]
    repeat {
      page = try transaction.history.served(after: last, in: bucket, limit: Self.page)
      for row in page {
        try later.add(row, to: entry.position, users) { try notification(of: row) }
      }
      last = page.last?.last ?? last
    } while page.count == Self.page
    return later
  }

  private func notification(of row: ServedChange) throws -> String? {
    try transaction.log.entry(at: row.position, in: bucket).map {
      NotificationID.text(generation: row.generation, entry: $0)
    }
  }
}

/// By the devices of pushes: the notifications that took their place.
struct LaterChanges {
  private struct Push: Hashable {
    let scope: DatabaseScope
    let user: UserID
    let subscription: ByteText
    let device: ByteText
  }
  private struct Mailbox: Hashable {
    let user: UserID
    let device: ByteText
  }
  private var replaced: [Push: String] = [:]
  private var overflowed: [Mailbox: String] = [:]

  /// - Parameter position: where the change is whose pushes are followed.
  fileprivate mutating func add(
    _ row: ServedChange, to position: Int64, _ users: Set<UserID>, _ id: () throws -> String?
  ) throws {
    for delivery in ServedDelivery.all(in: row.bytes) where users.contains(delivery.user) {
      for recipient in delivery.recipients {
        switch recipient.outcome {
        case .overflowed:
          let mailbox = Mailbox(user: delivery.user, device: ByteText(recipient.device.name))
          if overflowed[mailbox] == nil { overflowed[mailbox] = try id() }
        case .put(let old) where old == position:
          replaced[Self.push(delivery, recipient.device)] = try id()
        case .put, .wrote: break
        }
      }
    }
  }

  /// What replaced the push to a device; nil if nothing did.
  func replacing(_ delivery: ServedDelivery, to device: DeviceID) -> String? {
    replaced[Self.push(delivery, device)]
  }

  /// What made the mailbox of the device overflow; nil if nothing did.
  func overflowing(_ delivery: ServedDelivery, to device: DeviceID) -> String? {
    overflowed[Mailbox(user: delivery.user, device: ByteText(device.name))]
  }

  private static func push(_ delivery: ServedDelivery, _ device: DeviceID) -> Push {
    Push(
      scope: delivery.scope, user: delivery.user, subscription: ByteText(delivery.subscriptionID),
      device: ByteText(device.name))
  }
}
