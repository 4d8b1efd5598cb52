// What a step takes in between two looks whether a write waits, as a value. Reading a record of a megabyte takes as
// long as writing the rows of a hundred small ones, so bytes count too.

struct IndexStretch {
  /// Ours: records of a stretch.
  static let records = 20
  /// Ours: bytes after which it ends sooner.
  static let bytes = 128 << 10
  /// Ours: records of the first read, whose size nobody knows before.
  static let first = 4

  private var taken = (records: 0, bytes: 0)
  private var isLarge = false
  /// How many records to read next.
  private(set) var next = first

  var isOver: Bool { taken.records >= Self.records || taken.bytes > Self.bytes }

  /// So many were read, which were so large.
  mutating func add(records: Int, bytes: Int) {
    taken = (taken.records + records, taken.bytes + bytes)
    isLarge = bytes > Self.bytes
    next = isLarge ? 1 : min(2 * next, max(1, Self.records - taken.records))
  }

  /// After a look.
  mutating func begin() {
    taken = (0, 0)
    next = isLarge ? 1 : Self.records
  }
}
