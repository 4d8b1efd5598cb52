// The coalescers of all users. A transaction takes along those of the users that it serves, as a value,
// and brings them back when it is durable.

import BrumeModel

struct Coalescers: Sendable {
  private let capacity: Int
  private var users: [UserID: Coalescer] = [:]
  /// Devices and subscriptions whose last push is remembered.
  private(set) var rememberedKeys = 0

  /// - Parameter capacity: how many keys are remembered; beyond it users are forgotten.
  init(capacity: Int) { self.capacity = capacity }

  /// Those of some users.
  func part(of users: Set<UserID>) -> [UserID: Coalescer] {
    Dictionary(
      uniqueKeysWithValues: users.lazy.compactMap { user in
        self.users[user].map { (user, $0) }
      })
  }

  mutating func keep(_ part: [UserID: Coalescer], now: Milliseconds) {
    for (user, coalescer) in part {
      rememberedKeys += coalescer.rememberedKeys - (users[user]?.rememberedKeys ?? 0)
      users[user] = coalescer.rememberedKeys == 0 ? nil : coalescer
    }
    if rememberedKeys > capacity { makeRoom(now) }
  }

  /// Users of whom nothing waits to be due go, the longest past half of them first. If something of
  /// all waits, all are forgotten: then they merge less, but nothing is lost.
  private mutating func makeRoom(_ now: Milliseconds) {
    let past = users.compactMap { user, coalescer in
      coalescer.lastDue(ifBy: now).map { (user: user, due: $0) }
    }.sorted { $0.due < $1.due }
    for (user, _) in past.prefix(max(1, past.count / 2)) { forget(user) }
    if rememberedKeys > capacity { for user in Array(users.keys) { forget(user) } }
  }

  private mutating func forget(_ user: UserID) {
    rememberedKeys -= users.removeValue(forKey: user)?.rememberedKeys ?? 0
  }
}
