// The matches of a walk so far. They come in blocks of one value of the first sort; within a block the
// other sorts decide, so a block must be seen whole before its order is known.

import BrumeStorage

/// A value of the index, just precise enough to see that a later one differs. Two that are equal for
/// sorting are always equal here.
package enum SortedValue: Equatable, Sendable {
  case number(Double)
  case text(String)

  package static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.number(let x), .number(let y)): x == y
    case (.text(let x), .text(let y)): ByteText(x) == ByteText(y)
    case (.number, .text), (.text, .number): false
    }
  }
}

/// Collects matches in their order until there are enough.
package struct SortedWalk: Sendable {
  /// How many matches are wanted.
  private let count: Int
  private let sortsBlocks: Bool
  /// Matches of blocks that have ended, in their order.
  package private(set) var matches: [SortedMatch] = []
  /// Matches of the block that has not.
  package private(set) var block: [SortedMatch] = []
  /// What the records of the block have; nil: they lack the field.
  private var blockValue: SortedValue?

  package init(_ walk: KeyWalk, count: Int) {
    self.count = count
    sortsBlocks = walk.sortsBlocks
  }

  /// How many matches are still to come, with those of the block.
  private var missing: Int { count - matches.count }
  /// Whether there are as many matches as are wanted.
  package var isFull: Bool { matches.count + (sortsBlocks ? 0 : block.count) >= count }

  /// Whether a record with this value is the first of another block.
  package func isEnd(ofBlock value: SortedValue?) -> Bool { value != blockValue }

  /// Goes on in the block of this value.
  package mutating func look(at value: SortedValue?) { blockValue = value }

  package mutating func add(_ match: SortedMatch) { block.append(match) }

  /// Whether the block is long enough that keeping only what can still be wanted is worth a sorting.
  package func isBlockLong(many: Int) -> Bool {
    sortsBlocks && block.count >= 2 * missing + many
  }

  /// Keeps of the block, now sorted, what can still be wanted.
  package mutating func shortenBlock(_ sorted: [SortedMatch]) {
    block = Array(sorted.prefix(missing))
  }

  /// - Parameter sort: puts matches with equal values in their order.
  package mutating func endBlock(_ sort: ([SortedMatch]) throws -> [SortedMatch]) rethrows {
    try add(sortsBlocks ? sort(block) : block)
    block = []
  }

  /// Takes matches that are in their order.
  package mutating func add(_ matches: [SortedMatch]) { self.matches += matches }

  /// The first matches.
  package var first: [SortedMatch] { Array(matches.prefix(count)) }
  /// Whether more matches are wanted than all blocks that have ended have.
  package var wantsMore: Bool { matches.count < count }
}
