// What is counted up and down, and can neither pass its bound nor fall below zero. Whoever would let it has counted
// wrong before, and everything decided by the count since then is uncertain: the process ends, in release builds too.

/// A count from 0 to its bound.
struct BoundedCount: Sendable {
  private(set) var value = 0
  let bound: Int
  /// What is counted, in the plural.
  private let what: StaticString

  /// - Parameters:
  ///   - bound: at least 1.
  ///   - what: what is counted, in the plural.
  init(upTo bound: Int, of what: StaticString) {
    precondition(bound > 0, "a bound of \(bound) leaves no room for \(what)")
    self.bound = bound
    self.what = what
  }

  /// Whether there may be one more.
  var hasRoom: Bool { value < bound }

  /// One more. To be asked first: `hasRoom`.
  mutating func add() {
    precondition(value < bound, "more \(what) than may be")
    value += 1
  }

  /// One less, of those that are there.
  mutating func remove() {
    precondition(value > 0, "fewer \(what) than none")
    value -= 1
  }
}
