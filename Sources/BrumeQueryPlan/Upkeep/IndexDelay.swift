// This decides which new records come into the query index later, many together. The rows of one record are at
// as many places of the index as it has rows, so that in a commit with few records nearly every row changes
// a page of its own; in the order of the index and many at once, they share pages. A query never sees the
// difference: it waits until they are in. So a type that is being queried is kept up at once.
//
// This file only decides and counts. It may forget: what is behind stands in `WantedField`.

/// Counts new records, and says whether the rows of one may come later.
package struct IndexDelay: Sendable {
  /// Ours: new records of one body after which it is bulk. Single saves are indexed at once: the query
  /// that follows a save must not have to wait.
  package static let bulk = 50
  /// Ours: records that are taken in together, in one commit that others wait for.
  package static let together = 2500
  /// Ours: records that may be behind. What comes then pays for its rows itself.
  static let most = 50_000
  /// Ours: new records of a type that are indexed at once after somebody has queried it.
  static let afterQuery = 5000

  /// Ours: rows that one body writes before what else it saves is left for later, new or not: others wait for it.
  static let rowsOfBody = 10_000

  /// Ours: bytes of a record from which on what it has many rows of comes later, as the words of its texts, and bytes of
  /// the records of a body whose many rows go at once; those of further ones go later. A word with what is beside it has
  /// four or five bytes at least, where there are many different ones.
  package static let bytesAtOnce = 64 << 10

  /// Ours: bytes that count as one record more.
  private static let bytesAsRecord = 16 << 10
  /// Ours: types that are remembered; with more, it starts anew.
  private static let types = 100_000

  private let bulk: Int
  /// New records of the running body, the rows that it has written, and the bytes of records whose many rows went.
  private var inBody = 0
  private var rowsInBody = 0
  private var goneBytes = 0
  /// New records of queried types until they may be behind again.
  private var queriedTypes: [RecordTypeRowKey: Int] = [:]
  /// Records that are behind, as far as known.
  package private(set) var behind = 0

  /// - Parameter bulk: new records of one body after which rows come later; an engine for which that is no
  ///   cheaper has none (`Int.max`).
  package init(bulk: Int = IndexDelay.bulk) { self.bulk = bulk }

  mutating func bodyBegins() { (inBody, rowsInBody, goneBytes) = (0, 0, 0) }

  /// Whether anything is left for later.
  var leaves: Bool { bulk < .max }

  /// The running body has written a row.
  mutating func wroteRow() { rowsInBody += 1 }

  /// Whether the running body has written enough, and leaves for later what else it saves.
  var isFull: Bool { rowsInBody >= Self.rowsOfBody && leaves && mayWait }

  /// Whether the many rows of a record of so many bytes come later.
  func isLate(come bytes: Int) -> Bool { bytes > Self.bytesAtOnce && leaves && mayWait }

  /// Notes a record of so many bytes whose many rows go. Answers whether they go later, however many wait already: all of
  /// them at once would keep others waiting for longer.
  mutating func isLate(gone bytes: Int) -> Bool {
    goneBytes += bytes
    return goneBytes > Self.bytesAtOnce && leaves
  }

  /// A query had to wait for the index of the type.
  mutating func queried(_ type: RecordTypeRowKey) {
    if queriedTypes.count > Self.types { queriedTypes = [:] }
    queriedTypes[type] = Self.afterQuery
  }

  /// Notes a new record. Answers whether its rows may come later.
  mutating func isLate(newOf type: RecordTypeRowKey) -> Bool {
    inBody += 1
    if let left = queriedTypes[type] {
      queriedTypes[type] = left > 1 ? left - 1 : nil
      return false
    }
    return inBody > bulk && mayWait
  }

  /// Whether one more record may be left for later.
  var mayWait: Bool { behind < Self.most }

  /// Whether what is behind is too little to be taken in, if nobody waits for it.
  var areFew: Bool { behind < Self.together }

  mutating func leftForLater() { behind += 1 }
  /// A record of so many bytes is noted, because its rows go later. Large ones do not wait for many others.
  mutating func leftForLater(gone bytes: Int) { behind += 1 + bytes / Self.bytesAsRecord }
  mutating func caughtUp(_ records: Int) { behind = max(0, behind - records) }
  /// Nothing is behind, whatever was counted.
  mutating func caughtUp() { behind = 0 }
}
