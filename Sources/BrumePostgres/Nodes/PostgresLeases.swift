// Which buckets this process notifies for, as the database said last. A late answer does no harm: what a
// notifier writes is refused when its lease has passed on (`Locks`).

package import BrumeModel
import BrumeStorage
import Synchronization

/// The leases of this process, as far as it knows.
package final class PostgresLeases: Leases {
  /// This process, as the database knows it.
  let owner: String
  private let epochs = Mutex<[Bucket: Int64]>([:])
  private let count = Atomic<Int>(1)

  init(owner: String) { self.owner = owner }

  package func epoch(of bucket: Bucket) -> Int64? { epochs.withLock { $0[bucket] } }

  package var processes: Int { count.load(ordering: .relaxed) }

  /// Notes how many there are.
  func set(processes: Int) { count.store(processes, ordering: .relaxed) }

  /// All of them.
  var buckets: [Bucket] { epochs.withLock { Array($0.keys) } }

  /// Notes what is owned now. Answers what was not before.
  func set(_ owned: [Bucket: Int64]) -> Set<Bucket> {
    epochs.withLock { epochs in
      let new = owned.filter { epochs[$0.key] != $0.value }
      epochs = owned
      return Set(new.keys)
    }
  }
}
