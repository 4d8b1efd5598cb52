// How much of an index one step takes in. Whoever saves waits for the step that is under way, and then for
// the disk to take what the step wrote. So steps are small while others write, and grow while nobody does.

/// How many records the next step takes in.
package struct IndexPace {
  /// Ours: records of a step beside others' writes: a few milliseconds with its commit.
  static let least = 20
  /// Ours: records of a step that nobody has waited for lately.
  static let most = 400

  /// From `least` to `most`.
  package private(set) var records = least

  package init() {}

  /// A step has ended.
  package mutating func stepped(wasAwaited: Bool) {
    records = wasAwaited ? Self.least : min(2 * records, Self.most)
  }
}
