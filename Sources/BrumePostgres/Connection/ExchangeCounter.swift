// How many times all connections of a store waited for the server, for tests and measurements.

import Synchronization

final class ExchangeCounter: Sendable {
  private let number = Atomic<Int>(0)

  var count: Int { number.load(ordering: .relaxed) }

  func add() { _ = number.wrappingAdd(1, ordering: .relaxed) }
}
