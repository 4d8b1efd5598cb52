// What the users of one address may have together. Each has a share of their own; somebody who makes many users at one
// address has no more than this. It is far beyond what an office has whose people share one address, and leaves
// others their part. Operators read the numbers in docs/operating/load.md.

import BrumeModel

/// How much more the users of an address may have than one user.
enum AddressShare {
  /// Ours: so many users may call at their full rate, unless a setting says otherwise.
  static let usersOfRate = 20
  /// Ours: requests at work; half of all, as of connections.
  static func requestsAtOnce(_ limits: Limits) -> Int { max(1, limits.requestsAtOnce / 2) }
  /// Ours: requests that wait for their turn, as many as so many users may have.
  static func requestsWaiting(_ limits: Limits) -> Int { 8 * limits.requestsWaitingPerCaller }
  /// Ours: threads that requests have at once. Of sixteen, so that somebody else finds one.
  static let threads = 12
}
