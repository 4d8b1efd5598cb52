// Records that a plan names and whose contents are too large to come with it. They are read when a body comes to them: so
// many at once that a few exchanges are enough, and so few that hardly more is read than a body wants.

import BrumeModel

struct LargeRecords {
  /// As bodies ask for records.
  private var order: [RecordKey] = []
  /// Of those that were not read yet.
  private var bytes: [RecordKey: Int64] = [:]
  /// Ours: bytes of contents that are read at once, unless the first has more.
  private static let bytesAtOnce: Int64 = 4 << 20

  init(inOrder order: [RecordKey] = []) { self.order = order }

  mutating func note(_ key: RecordKey, bytes count: Int64) { bytes[key] = count }

  /// Which to read when a body asks for one: it, and those that are asked for next. They are no longer large then.
  mutating func takeGroup(from key: RecordKey) -> [RecordKey] {
    guard bytes[key] != nil, let first = order.firstIndex(of: key) else { return [key] }
    var group: [RecordKey] = []
    var sum: Int64 = 0
    for next in order[first...] {
      guard let count = bytes[next] else { continue }
      sum += count
      if sum > Self.bytesAtOnce, !group.isEmpty { break }
      group.append(next)
      bytes[next] = nil
    }
    return group
  }
}
