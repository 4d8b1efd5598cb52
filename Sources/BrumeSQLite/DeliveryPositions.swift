// Places in mailboxes and among kept notifications: they rise, and none is ever given twice, not even
// when a loss of power takes back what had one (`Store.writeRepeatable`). Otherwise a device that had
// acknowledged the lost one would skip the one after it.
//
// So each start of the store gets a range of its own, and the number of starts is made durable
// before the first of them is given.

import GRDB
import Synchronization

final class DeliveryPositions: Sendable {
  /// Ours: more than any one run of a server delivers.
  private static let perStart: Int64 = 1 << 32
  private static let name = "store-starts"
  private let given: Atomic<Int64>

  init(start: Int64) { given = Atomic(start * Self.perStart) }

  /// None that was ever given is above it.
  var last: Int64 { given.load(ordering: .acquiring) }

  /// Only the writer asks for one.
  func next() -> Int64 { given.add(1, ordering: .acquiringAndReleasing).newValue }

  /// Counts a start of the store; answers its number.
  static func countStart(on writer: Database) throws -> Int64 {
    let known = try String.fetchOne(
      writer, sql: "SELECT value FROM settings WHERE name = ?", arguments: [name])
    let start = (known.flatMap { Int64($0) } ?? 0) + 1
    try writer.execute(
      sql: "INSERT OR REPLACE INTO settings VALUES (?, ?)", arguments: [name, String(start)])
    return start
  }
}
