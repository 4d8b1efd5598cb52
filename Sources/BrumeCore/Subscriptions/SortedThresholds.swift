// Thresholds in order, so that a value finds exactly the bounds that it meets: all below it, or all
// above it. Kept in blocks, so that inserting into a long list moves little.

struct SortedThresholds: Sendable {
  typealias Entry = (threshold: AccessValue, node: Int32)
  private static let blockSize = 256
  /// Ascending; no block is empty.
  private var blocks: [[Entry]] = []

  var isEmpty: Bool { blocks.isEmpty }

  mutating func insert(_ node: Int32, at threshold: AccessValue) {
    guard !blocks.isEmpty else {
      blocks = [[(threshold, node)]]
      return
    }
    let block = min(self.block(notBefore: threshold), blocks.count - 1)
    let place = Self.place(of: threshold, in: blocks[block])
    blocks[block].insert((threshold, node), at: place)
    if blocks[block].count > Self.blockSize { split(block) }
  }

  mutating func remove(_ node: Int32, at threshold: AccessValue) {
    var block = self.block(notBefore: threshold)
    while block < blocks.count, !threshold.precedes(blocks[block][0].threshold) {
      if let place = blocks[block].firstIndex(where: { $0.node == node }) {
        blocks[block].remove(at: place)
        if blocks[block].isEmpty { blocks.remove(at: block) }
        return
      }
      block += 1
    }
  }

  /// Nodes whose threshold is at most `value` (lower bounds that the value meets).
  func forEach(atMost value: AccessValue, _ body: (Int32) -> Void) {
    for block in blocks {
      for entry in block {
        if value.precedes(entry.threshold) { return }
        body(entry.node)
      }
    }
  }

  /// Nodes whose threshold is at least `value` (upper bounds that the value meets).
  func forEach(atLeast value: AccessValue, _ body: (Int32) -> Void) {
    for block in blocks.reversed() {
      for entry in block.reversed() {
        if entry.threshold.precedes(value) { return }
        body(entry.node)
      }
    }
  }

  /// The first block whose last threshold is not before `threshold`.
  private func block(notBefore threshold: AccessValue) -> Int {
    var low = 0
    var high = blocks.count
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle][blocks[middle].count - 1].threshold.precedes(threshold) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  private static func place(of threshold: AccessValue, in block: [Entry]) -> Int {
    var low = 0
    var high = block.count
    while low < high {
      let middle = (low + high) / 2
      if block[middle].threshold.precedes(threshold) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func split(_ block: Int) {
    let half = blocks[block].count / 2
    let upper = Array(blocks[block][half...])
    blocks[block].removeSubrange(half...)
    blocks.insert(upper, at: block + 1)
  }
}
