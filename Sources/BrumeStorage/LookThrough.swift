// Where a look through rows that have numbers goes on when a page of them is damaged: before the page with fewer rows
// at once, and behind it from the first number after which something can be read. It is a value, and the caller reads.

/// A look through numbered rows, in the order of their numbers.
package struct LookThrough: Sendable {
  /// The next read is of rows with greater numbers.
  package private(set) var after: Int64 = 0
  /// How many rows the next read asks for.
  package private(set) var limit: Int
  /// Whether nothing more is to be read.
  package private(set) var hasEnded = false
  /// Whether anything could be read.
  package private(set) var hasRead = false

  private let most: Int
  /// Between these is where the damage ends: after the first nothing could be read, after the second something.
  private var unreadable: Int64?
  private var readable: Int64?
  private var stride: Int64 = 1

  /// - Parameter most: rows that are read at once.
  package init(pagesOf most: Int) {
    self.most = max(1, most)
    limit = max(1, most)
  }

  /// The read succeeded.
  ///
  /// - Parameter next: after which the next page begins; nil: there is none.
  /// - Returns: whether what was read counts. If not, rows before it may be readable too, and it comes again.
  package mutating func read(next: Int64?) -> Bool {
    hasRead = true
    if let unreadable, after - unreadable > 1 {
      readable = after
      after = unreadable + (after - unreadable) / 2
      return false
    }
    (unreadable, readable, stride) = (nil, nil, 1)
    limit = min(most, limit > most / 2 ? most : 2 * limit)
    if let next { after = next } else { hasEnded = true }
    return true
  }

  /// The read met damage.
  ///
  /// - Returns: whether a row was found with which it begins, so that it is worth a note.
  package mutating func failed() -> Bool {
    guard limit == 1 else {
      limit /= 2
      return false
    }
    let begins = unreadable == nil
    unreadable = after
    if let readable {
      // Next to each other: what could be read is read again, and counts.
      after += max(1, (readable - after) / 2)
    } else {
      goFurther()
    }
    return begins
  }

  /// In steps that double, so that the end of the numbers is not far.
  private mutating func goFurther() {
    guard after < .max - stride, stride < .max / 2 else { return hasEnded = true }
    after += stride
    stride *= 2
  }
}
