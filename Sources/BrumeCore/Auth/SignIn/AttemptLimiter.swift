// Guessing passwords: after some wrong ones in a row, a name and an address have to wait longer and
// longer. Values only; the caller brings the time and holds the lock.
//
// An attempt counts as failed from its beginning, so that many at once get no further than one after
// the other. What is remembered is bounded, in number and in bytes: a name counts by its digest. The
// longest quiet go first.

package import BrumeModel
import Crypto

package struct AttemptLimiter: Sendable {
  private struct Key: Hashable, Sendable {
    private let digest: SHA256.Digest
    static func name(_ text: String) -> Key { Key(kind: "n", text) }
    static func address(_ text: String) -> Key { Key(kind: "a", text) }
    private init(kind: String, _ text: String) {
      digest = SHA256.hash(data: Array((kind + text).utf8))
    }
  }
  private struct Failures: Sendable {
    var count = 0
    var last: Milliseconds
    /// No attempt before this.
    var until: Milliseconds = 0

    /// A clock that was set back lengthens no pause: it begins anew.
    mutating func follow(_ now: Milliseconds) {
      let lost = last - now
      guard lost > 0 else { return }
      last -= lost
      until -= lost
    }
  }
  private let limits: Limits
  private var failures: [Key: Failures] = [:]

  package init(limits: Limits) { self.limits = limits }

  /// Begins an attempt.
  ///
  /// - Parameter processes: how many count the same attempts, each for itself. Each grants its share of the
  ///   free ones and pauses as much longer, so that whoever tries at all of them gets no further.
  /// - Returns: nil when it may go on, and it counts as failed until `succeeded`; otherwise how long
  ///   to wait, and nothing was counted.
  package mutating func begin(
    name: String, address: String, now: Milliseconds, among processes: Int = 1
  ) -> Milliseconds? {
    let keys = [
      (Key.name(name), limits.freeAttemptsPerName),
      (Key.address(address), limits.freeAttemptsPerAddress),
    ]
    for (key, _) in keys { failures[key]?.follow(now) }
    let wait = keys.map { (failures[$0.0]?.until ?? 0) - now }.max() ?? 0
    if wait > 0 { return wait }
    makeRoom(now)
    for (key, free) in keys { count(key, free, now, max(1, processes)) }
    return nil
  }

  /// The attempt was right after all. The name starts afresh; the address gets back this one attempt
  /// only, or whoever has one account could guess at others for ever.
  package mutating func succeeded(name: String, address: String) {
    failures[.name(name)] = nil
    guard var entry = failures[.address(address)] else { return }
    entry.count -= 1
    entry.until = 0
    failures[.address(address)] = entry.count > 0 ? entry : nil
  }

  package var remembered: Int { failures.count }

  private mutating func count(
    _ key: Key, _ free: Int, _ now: Milliseconds, _ processes: Int
  ) {
    var entry = failures[key] ?? Failures(last: now)
    if isOver(entry, now) { entry.count = 0 }
    entry.count += 1
    entry.last = now
    let excess = entry.count - max(1, free / processes)
    if excess >= 0 {
      let pause = min(limits.longestAttemptPause, 1000 << Milliseconds(min(excess, 20)))
      entry.until = now + pause * Milliseconds(processes)
    }
    failures[key] = entry
  }

  /// After a long quiet time nothing is held against anybody.
  private func isOver(_ entry: Failures, _ now: Milliseconds) -> Bool {
    now - entry.last > 4 * limits.longestAttemptPause
      && now - entry.until > limits.longestAttemptPause
  }

  private mutating func makeRoom(_ now: Milliseconds) {
    guard failures.count + 2 > limits.watchedCallers else { return }
    failures = failures.filter { !isOver($0.value, now) }
    guard failures.count + 2 > limits.watchedCallers else { return }
    let newest = failures.sorted { $0.value.last > $1.value.last }.prefix(limits.watchedCallers / 2)
    failures = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
  }
}
