// The time of a store that several processes share. What one of them writes another one judges: what has ended, what is
// old enough to go. The clock of a machine may be wrong by hours, or be set while it runs, so all go by the store's:
// each asks for it every few seconds, and counts on by a clock that nobody sets.

package import BrumeModel
import Synchronization

/// The store's time, as one process knows it. For calls from any thread; they wait for nothing.
package final class SharedTime: Sendable {
  /// Ours: milliseconds by which a machine's clock may differ before somebody should look at it.
  package static let tolerance: Milliseconds = 2000
  private static let unknown = Int64.min

  private let machine: @Sendable () -> Milliseconds
  private let steady: @Sendable () -> Int64
  /// What is added to the steady clock.
  private let lead = Atomic<Int64>(SharedTime.unknown)

  /// - Parameters:
  ///   - machine: the machine's clock, which counts until the store was asked.
  ///   - steady: milliseconds of a clock that is never set, from whenever on.
  package init(
    machine: @escaping @Sendable () -> Milliseconds, steady: @escaping @Sendable () -> Int64
  ) {
    self.machine = machine
    self.steady = steady
  }

  /// The time.
  package var now: Milliseconds {
    let lead = lead.load(ordering: .relaxed)
    return lead == Self.unknown ? machine() : steady() + lead
  }

  /// By how much the machine's clock is ahead of the store's, negative if it is behind.
  package var difference: Milliseconds { machine() - now }

  /// Whether somebody should set the machine's clock, or the store's.
  package var isApart: Bool { abs(difference) > Self.tolerance }

  /// Learns the store's time. When within the question it was read nobody knows: what is known stays, unless it cannot
  /// be right. A long answer therefore changes nothing.
  ///
  /// - Parameter ask: asks the store for its time.
  /// - Throws: what `ask` throws.
  package func learn<Failure: Error>(
    _ ask: () throws(Failure) -> Milliseconds
  ) throws(Failure) {
    let start = steady()
    let time = try ask()
    // Each of the three was cut to whole milliseconds.
    let (least, most) = (time - steady() - 1, time - start + 1)
    let known = lead.load(ordering: .relaxed)
    let middle = least + (most - least) / 2
    lead.store(known == Self.unknown ? middle : min(max(known, least), most), ordering: .relaxed)
  }
}
