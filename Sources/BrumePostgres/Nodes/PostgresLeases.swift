// Which buckets this process notifies for, as the database said last, and for as long as it said. A late answer does no
// harm: what a notifier writes is refused when its lease has passed on (`Locks`). Whoever sends has only what is known
// here, so a lease ends here by this machine's clock, no later than in the database.

package import BrumeModel
import BrumeStorage
import Synchronization

/// The leases of this process, as far as it knows.
package final class PostgresLeases: Leases {
  private struct Lease {
    let epoch: Int64
    /// When it ends if nobody renews it.
    let end: Int64
  }
  /// This process, as the database knows it.
  let owner: String
  private let milliseconds: @Sendable () -> Int64
  private let known = Mutex<[Bucket: Lease]>([:])
  private let count = Atomic<Int>(1)
  private let arrived = Atomic<Int>(0)

  /// - Parameter milliseconds: a clock that never goes back.
  init(owner: String, milliseconds: @escaping @Sendable () -> Int64) {
    self.owner = owner
    self.milliseconds = milliseconds
  }

  package func epoch(of bucket: Bucket) -> Int64? {
    guard let lease = known.withLock({ $0[bucket] }), milliseconds() < lease.end else { return nil }
    return lease.epoch
  }

  package var processes: Int { count.load(ordering: .relaxed) }

  package var arrivals: Int { arrived.load(ordering: .acquiring) }

  /// Notes how many there are.
  func set(processes: Int) { count.store(processes, ordering: .relaxed) }

  /// Whether there are none.
  var isEmpty: Bool {
    let now = milliseconds()
    return known.withLock { known in !known.contains { now < $0.value.end } }
  }

  /// All of them.
  var buckets: [Bucket] {
    let now = milliseconds()
    return known.withLock { $0.filter { now < $0.value.end }.map(\.key) }
  }

  /// Notes what is owned now. Answers what was not before: a lease that ended here meanwhile counts, because hints that
  /// came then did nothing.
  ///
  /// - Parameters:
  ///   - left: milliseconds that leases had left; those that are not named were whole.
  ///   - start: when the database was asked.
  func set(
    _ owned: [Bucket: Int64], left: [Bucket: Int64] = [:], since start: Int64
  ) -> Set<Bucket> {
    let whole = Int64(LeaseRound.lease) * 1000
    let leases = Dictionary(
      uniqueKeysWithValues: owned.map { bucket, epoch in
        (bucket, Lease(epoch: epoch, end: start + min(whole, left[bucket] ?? whole)))
      })
    let now = milliseconds()
    let new = known.withLock { known in
      defer { known = leases }
      return leases.filter { bucket, lease in
        guard let old = known[bucket], now < old.end else { return true }
        return old.epoch != lease.epoch
      }.keys
    }
    // Whoever sees that they have come finds them.
    arrived.add(new.count, ordering: .acquiringAndReleasing)
    return Set(new)
  }
}
