// How much of the database each reading connection keeps in memory. Of the connections that are free the one that was opened
// first is used, so the later ones read only while as many reads run at once; they are for costly reads, which look at
// more than any cache would hold.

import Synchronization

/// Sizes by the order of opening.
final class PageCaches: Sendable {
  /// Ours: connections with a large cache, the writer's first, which then gets one of its own (`Durability`).
  static let largeOnes = 7
  /// Ours: the inner pages of a million records, which every look-up by key passes.
  static let large = 8192
  /// Ours.
  static let small = 512

  private let opened = Atomic<Int>(0)

  func nextKilobytes() -> Int {
    opened.add(1, ordering: .relaxed).newValue <= Self.largeOnes ? Self.large : Self.small
  }
}
