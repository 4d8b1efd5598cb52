// What was read of large deletions (`FoundCascade.swift`) is kept until their writes have had their turn. One may be as
// large as all that a deletion may take along, and one user may have many requests at work: so all together have a bound.

import BrumeModel
import Synchronization

/// Counts the bytes of records that wait with their deletions.
final class WaitingCascades: Sendable {
  private let most: Int
  private let bytes = Mutex(0)

  init(_ limits: Limits) { most = 2 * limits.cascadeBytes }

  /// Room for so many bytes, until the share is forgotten. Whoever is alone has it, however many they are.
  ///
  /// - Throws: `TRY_AGAIN_LATER` if there is none.
  func share(of count: Int) throws(BrumeError) -> Share {
    let fits = bytes.withLock { held -> Bool in
      guard held == 0 || held + count <= most else { return false }
      held += count
      return true
    }
    guard fits else {
      throw BrumeError(
        .tryAgainLater,
        "other deletions that take much along are under way; try again later, or delete less at once",
        retryAfter: 1)
    }
    return Share(of: self, count)
  }

  private func giveBack(_ count: Int) { bytes.withLock { $0 -= count } }

  /// What one request holds.
  final class Share: Sendable {
    private let waiting: WaitingCascades
    private let count: Int

    fileprivate init(of waiting: WaitingCascades, _ count: Int) {
      self.waiting = waiting
      self.count = count
    }

    deinit { waiting.giveBack(count) }
  }
}
