// One that is damaged keeps no other from its turn: what goes through many notes the damage, goes on, and throws the first
// of it at the end.

import BrumeStorage

struct FirstDamage {
  private var error: (any Error)?

  var isMet: Bool { error != nil }

  /// Notes what was thrown for one of many.
  ///
  /// - Throws: what says no damage: then the others are not to have their turn.
  mutating func note(_ thrown: any Error) throws {
    guard thrown.saysDamage else { throw thrown }
    error = error ?? thrown
  }

  /// To be called when all have had their turn.
  ///
  /// - Throws: the first damage that was noted.
  func throwIfMet() throws {
    if let error { throw error }
  }
}
