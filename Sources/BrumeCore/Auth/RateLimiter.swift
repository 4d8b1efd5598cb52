// How often somebody may call: a bucket of tokens for each caller, refilled at a steady rate (cases
// LIM-03, LIM-08). Values only; the caller brings the time and holds the lock.

package import BrumeModel

/// The buckets of all callers under one limit.
package struct RateLimiter<Key: Hashable & Sendable>: Sendable {
  private struct Bucket: Sendable {
    var tokens: Double
    var time: Milliseconds
  }
  private let perSecond: Double
  private let burst: Double
  private let maximumKeys: Int
  private var buckets: [Key: Bucket] = [:]
  private static var jitter: Milliseconds { 1000 }

  /// - Parameters:
  ///   - perSecond: calls a second in the long run; 0 for no limit.
  ///   - burst: calls that a caller may make at once after a rest.
  ///   - maximumKeys: callers that are remembered.
  package init(perSecond: Int, burst: Int, maximumKeys: Int) {
    self.perSecond = Double(perSecond)
    self.burst = Double(max(1, burst))
    self.maximumKeys = max(1, maximumKeys)
  }

  /// Whether nothing is limited.
  package var isOff: Bool { perSecond <= 0 }
  /// How many callers have a bucket now.
  package var remembered: Int { buckets.count }

  /// Takes one call from a caller's bucket.
  ///
  /// - Parameter processes: how many serve the same callers. A call at one of them takes as much as one at
  ///   each: whoever calls all of them in turn has no more than with one.
  /// - Returns: nil when the call may go on; otherwise the seconds after which one may.
  package mutating func take(_ key: Key, now: Milliseconds, among processes: Int = 1) -> Double? {
    if isOff { return nil }
    var bucket = buckets[key] ?? Bucket(tokens: burst, time: now)
    bucket.tokens = tokens(of: bucket, now)
    // A clock that was set back begins anew from there: nobody waits until it is as late as it was. What is less
    // is another thread that looked at the clock before.
    if now > bucket.time || now < bucket.time - Self.jitter { bucket.time = now }
    if buckets[key] == nil, buckets.count >= maximumKeys { makeRoom(now) }
    // A full bucket always has one.
    let taken = min(burst, Double(max(1, processes)))
    guard bucket.tokens >= taken else {
      buckets[key] = bucket
      return ((taken - bucket.tokens) / perSecond * 1000).rounded(.up) / 1000
    }
    bucket.tokens -= taken
    buckets[key] = bucket
    return nil
  }

  private func tokens(of bucket: Bucket, _ now: Milliseconds) -> Double {
    let passed = Double(max(0, now - bucket.time)) / 1000
    return min(burst, bucket.tokens + passed * perSecond)
  }

  /// Full buckets say nothing and go; if that is not enough, the fullest half goes.
  private mutating func makeRoom(_ now: Milliseconds) {
    buckets = buckets.filter { tokens(of: $0.value, now) < burst }
    guard buckets.count >= maximumKeys else { return }
    let emptiest = buckets.sorted { tokens(of: $0.value, now) < tokens(of: $1.value, now) }
    buckets = Dictionary(
      uniqueKeysWithValues: emptiest.prefix(maximumKeys / 2).map { ($0.key, $0.value) })
  }
}
