// How many streams and polls are open, so that nobody has all of them: of one user, of one address, and in all. Over HTTP/2
// one connection carries many, so the bounds of connections do not see them.

package import BrumeModel
import Synchronization

/// Counts open streams and polls. One for each server.
package final class StreamPlaces: Sendable {
  fileprivate struct State {
    var all = 0
    var users: [UserID: Int] = [:]
    var addresses: [String: Int] = [:]
  }
  private let most: Int
  private let mostOfAddress: Int
  private let mostOfUser: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - most: in all.
  ///   - mostOfAddress: of all users of one address.
  ///   - mostOfUser: of one user.
  package init(most: Int, mostOfAddress: Int, mostOfUser: Int) {
    self.most = most
    self.mostOfAddress = mostOfAddress
    self.mostOfUser = mostOfUser
  }

  /// The place of one stream or poll, until it is given back or forgotten.
  package final class Place: Sendable {
    fileprivate let user: UserID
    fileprivate let address: String
    private let places: StreamPlaces
    /// Changed under the lock of the places.
    fileprivate let isHeld = Atomic(false)

    fileprivate init(_ user: UserID, _ address: String, in places: StreamPlaces) {
      (self.user, self.address, self.places) = (user, address, places)
    }

    deinit { giveBack() }

    /// The stream or poll has ended.
    package func giveBack() { places.state.withLock { $0.leave(self) } }
  }

  /// A place for one more.
  ///
  /// - Parameter old: the place of an older stream of the same device, which is taken if there is no other; then that
  ///   stream is to end.
  /// - Returns: the place, and whether it is the old one's.
  /// - Throws: `throttled` if the user or the address has as many as may be, `tryAgainLater` if the server has.
  package func enter(
    _ user: UserID, at address: String, inPlaceOf old: Place? = nil
  ) throws(BrumeError) -> (place: Place, isTaken: Bool) {
    let new = Place(user, address, in: self)
    let isTaken = try state.withLock { (state) throws(BrumeError) -> Bool in
      guard let refusal = refusal(of: new, state) else {
        state.enter(new)
        return false
      }
      guard let old, state.leave(old) else { throw refusal }
      guard self.refusal(of: new, state) == nil else {
        state.enter(old)
        throw refusal
      }
      state.enter(new)
      return true
    }
    return (new, isTaken)
  }

  /// Why there is no room for one more; nil: there is.
  private func refusal(of new: Place, _ state: State) -> BrumeError? {
    if state.users[new.user, default: 0] >= mostOfUser {
      return Self.refusal(.throttled, "this user has \(mostOfUser)")
    }
    if state.addresses[new.address, default: 0] >= mostOfAddress {
      return Self.refusal(.throttled, "the users of this address have \(mostOfAddress)")
    }
    return state.all < most ? nil : Self.refusal(.tryAgainLater, "this server has \(most)")
  }

  private static func refusal(_ code: BrumeError.Code, _ who: String) -> BrumeError {
    BrumeError(
      code,
      "\(who) event streams and polls open, the maximum; end some, or come back when others have "
        + "ended", retryAfter: pause)
  }

  /// What a stream is answered whose place a newer one of its device has taken.
  package static let taken = BrumeError(
    .throttled,
    "a newer stream of this device has taken the place of this one, because its user may have no "
      + "more; end some, or come back when others have ended", retryAfter: pause)

  /// Ours: seconds after which a client that was refused may ask again.
  private static let pause: Double = 30
}

extension StreamPlaces.State {
  fileprivate mutating func enter(_ place: StreamPlaces.Place) {
    place.isHeld.store(true, ordering: .relaxed)
    all += 1
    users[place.user, default: 0] += 1
    addresses[place.address, default: 0] += 1
  }

  /// Answers whether the place was held. One that was not changes nothing.
  @discardableResult
  fileprivate mutating func leave(_ place: StreamPlaces.Place) -> Bool {
    guard place.isHeld.exchange(false, ordering: .relaxed) else { return false }
    all -= 1
    users[place.user] = Self.less(users[place.user])
    addresses[place.address] = Self.less(addresses[place.address])
    return true
  }

  private static func less(_ count: Int?) -> Int? {
    count.flatMap { $0 > 1 ? $0 - 1 : nil }
  }
}
