// Thresholds in order, so that a value finds exactly the bounds that it meets: all below it, or all
// above it. They are kept in blocks, so that inserting into a long list moves little.

struct SortedThresholds: Sendable {
  struct Entry: Sendable {
    let high: UInt64
    let low: UInt16
    /// What a single subscription here fires on: beside its threshold, so that finding it does not
    /// touch its row, which is elsewhere in memory.
    let events: EventMask
    var target: Target

    func precedes(_ other: (high: UInt64, low: UInt16)) -> Bool {
      high != other.high ? high < other.high : low < other.low
    }
    func isAt(_ other: (high: UInt64, low: UInt16)) -> Bool {
      high == other.high && low == other.low
    }
  }
  typealias Position = (block: Int, index: Int)
  private static let blockSize = 256
  /// Ascending; no block is empty.
  private var blocks: [[Entry]] = []

  var isEmpty: Bool { blocks.isEmpty }

  subscript(place: Position) -> Target {
    get { blocks[place.block][place.index].target }
    set { blocks[place.block][place.index].target = newValue }
  }

  /// The first entry at exactly this threshold for which `isWanted` holds.
  func find(
    _ high: UInt64, _ low: UInt16, where isWanted: (Target) -> Bool
  ) -> Position? {
    let wanted = (high, low)
    var block = self.block(notBefore: wanted)
    guard block < blocks.count else { return nil }
    var index = Self.index(of: wanted, in: blocks[block])
    while block < blocks.count {
      while index < blocks[block].count {
        guard blocks[block][index].isAt(wanted) else { return nil }
        if isWanted(blocks[block][index].target) { return (block, index) }
        index += 1
      }
      (block, index) = (block + 1, 0)
    }
    return nil
  }

  /// Adds an entry in front of others at the same threshold.
  mutating func insert(
    _ target: Target, _ events: EventMask = .all, at high: UInt64, _ low: UInt16
  ) {
    let entry = Entry(high: high, low: low, events: events, target: target)
    guard !blocks.isEmpty else {
      blocks = [[entry]]
      return
    }
    let block = min(self.block(notBefore: (high, low)), blocks.count - 1)
    blocks[block].insert(entry, at: Self.index(of: (high, low), in: blocks[block]))
    if blocks[block].count > Self.blockSize { split(block) }
  }

  mutating func remove(at place: Position) {
    blocks[place.block].remove(at: place.index)
    if blocks[place.block].isEmpty { blocks.remove(at: place.block) }
  }

  /// Lower bounds that the value meets.
  func forEach(metFromAbove value: OrderKey, _ body: (Entry) -> Void) {
    for block in blocks {
      for entry in block {
        if (value.high, value.low) < (entry.high, entry.low) { return }
        body(entry)
      }
    }
  }

  /// Upper bounds that the value meets.
  func forEach(metFromBelow value: OrderKey, _ body: (Entry) -> Void) {
    for block in blocks.reversed() {
      for entry in block.reversed() {
        if (entry.high, entry.low) <= (value.high, value.low) { return }
        body(entry)
      }
    }
  }

  /// The first block whose last threshold is not before `wanted`.
  private func block(notBefore wanted: (high: UInt64, low: UInt16)) -> Int {
    blocks.end(ofThose: { $0[$0.count - 1].precedes(wanted) })
  }

  private static func index(of wanted: (high: UInt64, low: UInt16), in block: [Entry]) -> Int {
    block.end(ofThose: { $0.precedes(wanted) })
  }

  private mutating func split(_ block: Int) {
    let half = blocks[block].count / 2
    let upper = Array(blocks[block][half...])
    blocks[block] = Array(blocks[block][..<half])
    blocks.insert(upper, at: block + 1)
  }
}
