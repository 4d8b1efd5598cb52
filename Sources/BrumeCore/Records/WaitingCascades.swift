// What was read of large deletions (`FoundCascade.swift`) is kept until their writes have had their turn. One may be as
// large as all that a deletion may take along, and one user may have many requests at work: so all together have a bound,
// and each user has half of it, so that nobody keeps all others out.

import BrumeModel
import Synchronization

/// Counts the bytes of records that wait with their deletions.
final class WaitingCascades: Sendable {
  private struct State {
    var all = 0
    var users: [UserID: Int] = [:]

    mutating func add(_ count: Int, of user: UserID) {
      all += count
      let left = users[user, default: 0] + count
      users[user] = left > 0 ? left : nil
    }
  }
  private let most: Int
  private let mostOfUser: Int
  private let state = Mutex(State())

  init(_ limits: Limits) {
    most = 2 * limits.cascadeBytes
    mostOfUser = limits.cascadeBytes
  }

  /// Room for what one request waits with, until the share is forgotten. It holds nothing yet.
  func share(of user: UserID) -> Share { Share(of: self, user) }

  /// As many bytes as one user may have if there are more: whoever has no other request that waits has room for one,
  /// however large it is. Fewer always fit.
  ///
  /// - Returns: whether there is room; if not, it is what it was.
  private func exchange(_ held: Int, for count: Int, of user: UserID) -> Bool {
    let (before, after) = (min(held, mostOfUser), min(count, mostOfUser))
    return state.withLock { state in
      state.add(-before, of: user)
      let fits =
        after <= before
        || (state.all + after <= most && state.users[user, default: 0] + after <= mostOfUser)
      state.add(fits ? after : before, of: user)
      return fits
    }
  }

  /// What one request holds.
  final class Share: Sendable {
    private let waiting: WaitingCascades
    private let user: UserID
    private let bytes = Mutex(0)

    fileprivate init(of waiting: WaitingCascades, _ user: UserID) {
      self.waiting = waiting
      self.user = user
    }

    deinit {
      // Most requests hold nothing.
      let held = bytes.withLock { $0 }
      if held > 0 { _ = waiting.exchange(held, for: 0, of: user) }
    }

    /// So many bytes more.
    ///
    /// - Throws: `TRY_AGAIN_LATER` if there is no room for them; then it holds what it held.
    func take(_ count: Int) throws(BrumeError) {
      let fits = bytes.withLock { held -> Bool in
        guard waiting.exchange(held, for: held + count, of: user) else { return false }
        held += count
        return true
      }
      guard fits else {
        throw BrumeError(
          .tryAgainLater,
          "other deletions that take much along are under way; try again later, or delete less at once",
          retryAfter: 1)
      }
    }
  }
}
