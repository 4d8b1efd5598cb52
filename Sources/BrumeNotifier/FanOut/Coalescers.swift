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

  mutating func keep(_ part: [UserID: Coalescer]) {
    for (user, coalescer) in part {
      rememberedKeys += coalescer.rememberedKeys - (users[user]?.rememberedKeys ?? 0)
      users[user] = coalescer.rememberedKeys == 0 ? nil : coalescer
    }
    if rememberedKeys > capacity { makeRoom() }
  }

  /// Users go until half of the room is free: who has most, and of those with as much whose last push is the longest past.
  /// They merge less, but nothing is lost.
  private mutating func makeRoom() {
    let order = users.map { user, coalescer in
      (user: user, keys: coalescer.rememberedKeys, due: coalescer.lastDue)
    }.sorted { ($1.keys, $0.due) < ($0.keys, $1.due) }
    for (user, _, _) in order where rememberedKeys > (capacity + 1) / 2 { forget(user) }
  }

  private mutating func forget(_ user: UserID) {
    rememberedKeys -= users.removeValue(forKey: user)?.rememberedKeys ?? 0
  }
}
