// Places in mailboxes and among kept notifications: they rise, and none is ever given twice, not even
// when a loss of power takes back what had one (`Store.writeRepeatable`). Otherwise a device that had
// acknowledged the lost one would skip the one after it.
//
// So each start of the store gets a range of its own, and the number of starts is made durable
// before the first of them is given.

import Synchronization

final class DeliveryPositions: Sendable {
  /// Ours: more than any one run of a server delivers.
  static let perStart: Int64 = 1 << 32
  private let given: Atomic<Int64>

  init(start: Int64) { given = Atomic(start * Self.perStart) }

  /// None that was ever given is above it.
  var last: Int64 { given.load(ordering: .acquiring) }

  /// Only the writer asks for one.
  func next() -> Int64 { given.add(1, ordering: .acquiringAndReleasing).newValue }
}
