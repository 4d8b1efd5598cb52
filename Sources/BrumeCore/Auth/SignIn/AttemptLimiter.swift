// Guessing passwords: after some wrong ones in a row, a name and an address have to wait longer and
// longer. Values only; the caller brings the time, and keeps what is remembered.
//
// An attempt counts as failed from its beginning, so that many at once get no further than one after
// the other. What is remembered is bounded, in number and in bytes: a name counts by its digest. The
// longest quiet go first.

package import BrumeModel
package import BrumeStorage
import Crypto

/// Decides how long whoever tries a password has to wait.
package struct AttemptLimiter: Sendable {
  private let limits: Limits
  /// What is to be remembered after an attempt.
  package private(set) var failures: [AttemptKey: FailedAttempts]

  /// - Parameter failures: what is remembered, at least of whoever tries now.
  package init(limits: Limits, failures: [AttemptKey: FailedAttempts] = [:]) {
    self.limits = limits
    self.failures = failures
  }

  /// What counts attempts at a name from an address.
  package static func keys(name: String, address: String) -> [AttemptKey] {
    [key(ofName: name), key(ofAddress: address)]
  }

  private static func key(ofName name: String) -> AttemptKey { key("n", name) }
  private static func key(ofAddress address: String) -> AttemptKey { key("a", address) }
  private static func key(_ kind: String, _ text: String) -> AttemptKey {
    AttemptKey(digest: Array(SHA256.hash(data: Array((kind + text).utf8))))
  }

  /// Begins an attempt.
  ///
  /// - Returns: nil when it may go on, and it counts as failed until `succeeded`; otherwise how long
  ///   to wait, and nothing was counted.
  package mutating func begin(name: String, address: String, now: Milliseconds) -> Milliseconds? {
    let keys = [
      (Self.key(ofName: name), limits.freeAttemptsPerName),
      (Self.key(ofAddress: address), limits.freeAttemptsPerAddress),
    ]
    for (key, _) in keys { failures[key]?.follow(now) }
    let wait = keys.map { (failures[$0.0]?.until ?? 0) - now }.max() ?? 0
    if wait > 0 { return wait }
    makeRoom(now)
    for (key, free) in keys { count(key, free, now) }
    return nil
  }

  /// The attempt was right after all. The name starts afresh; the address gets back this one attempt
  /// only, or whoever has one account could guess at others for ever.
  package mutating func succeeded(name: String, address: String) {
    failures[Self.key(ofName: name)] = nil
    let key = Self.key(ofAddress: address)
    guard var entry = failures[key] else { return }
    entry.count -= 1
    entry.until = 0
    failures[key] = entry.count > 0 ? entry : nil
  }

  /// How many keys are remembered.
  package var remembered: Int { failures.count }

  private mutating func count(_ key: AttemptKey, _ free: Int, _ now: Milliseconds) {
    var entry = failures[key] ?? FailedAttempts(last: now)
    if isOver(entry, now) { entry.count = 0 }
    entry.count += 1
    entry.last = now
    let excess = entry.count - free
    if excess >= 0 {
      entry.until = now + min(limits.longestAttemptPause, 1000 << Milliseconds(min(excess, 20)))
    }
    failures[key] = entry
  }

  /// After a long quiet time nothing is held against anybody.
  private func isOver(_ entry: FailedAttempts, _ now: Milliseconds) -> Bool {
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

extension FailedAttempts {
  /// A clock that was set back lengthens no pause: it begins anew.
  fileprivate mutating func follow(_ now: Milliseconds) {
    let lost = last - now
    guard lost > 0 else { return }
    last -= lost
    until -= lost
  }
}
