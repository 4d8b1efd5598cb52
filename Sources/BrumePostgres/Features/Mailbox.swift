// What waits in one mailbox, as a transaction that has its lock knows it.

import BrumeStorage

struct Mailbox {
  /// Oldest first.
  private var waiting: [(entry: MailboxEntry, isWhole: Bool)] = []

  var count: Int { waiting.count }

  /// Adds one that is newer than all.
  ///
  /// - Parameter isWhole: false if its payload is not known.
  mutating func add(_ entry: MailboxEntry, isWhole: Bool = true) {
    waiting.append((entry, isWhole))
  }

  /// Where the same notification waits.
  func position(of entry: MailboxEntry) -> Int64? {
    waiting.last { other, _ in
      ByteText(other.notificationID) == ByteText(entry.notificationID)
        && ByteText(other.subscriptionID) == ByteText(entry.subscriptionID)
    }?.entry.position
  }

  /// Nil if one of them is not wholly known.
  func entries(after position: Int64, limit: Int) -> [MailboxEntry]? {
    let found = waiting.drop { $0.entry.position <= position }.prefix(limit)
    return found.allSatisfy(\.isWhole) ? found.map(\.entry) : nil
  }

  func positions(through position: Int64) -> [Int64] {
    waiting.map(\.entry.position).filter { $0 <= position }
  }

  mutating func remove(at position: Int64) { waiting.removeAll { $0.entry.position == position } }

  mutating func removeAll(through position: Int64) {
    waiting.removeAll { $0.entry.position <= position }
  }
}
