// The first matches of a sorted query, of matches that come in no order. A match has what its place depends on, up to
// 10 KB: only those are kept that can still be wanted, and about as many again, so that sorting stays cheap.

/// Collects matches and keeps the first.
package struct FirstMatches: Sendable {
  private let count: Int
  private let many: Int
  /// Those that were kept, in no order.
  package private(set) var matches: [SortedMatch] = []

  /// - Parameters:
  ///   - count: how many matches are wanted.
  ///   - many: so many more than twice as many are worth a sorting.
  package init(count: Int, many: Int) {
    self.count = count
    self.many = many
  }

  /// - Parameter sort: puts matches in their order.
  package mutating func add(
    _ more: some Sequence<SortedMatch>, sort: ([SortedMatch]) throws -> [SortedMatch]
  ) rethrows {
    matches += more
    if matches.count >= 2 * count + many { matches = Array(try sort(matches).prefix(count)) }
  }
}
