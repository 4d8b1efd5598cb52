// A look through numbered rows finds all that are not on a damaged page, wherever that is.

import Testing

@testable import BrumeStorage

@Suite struct LookThroughTests {
  private struct Found: Equatable {
    var rows: [Int64] = []
    var gaps = 0
    var hasRead = false
  }

  /// Looks through rows as an engine reads them: number after number until there are enough, and not past one that is damaged.
  private static func look(
    _ rows: [Int64], damaged: ClosedRange<Int64>?, pages: Int
  ) -> (found: Found, reads: Int) {
    var (look, found, reads) = (LookThrough(pagesOf: pages), Found(), 0)
    while !look.hasEnded, reads < 1000 {
      reads += 1
      let page = rows.filter { $0 > look.after }.prefix(look.limit)
      let last: Int64 = page.count < look.limit ? .max : page.last ?? .max
      if let damaged, damaged.upperBound > look.after, damaged.lowerBound <= last {
        if look.failed() { found.gaps += 1 }
      } else if look.read(next: page.count < look.limit ? nil : last) {
        found.rows += page
      }
    }
    found.hasRead = look.hasRead
    return (found, reads)
  }

  private static let rows: [Int64] = Array(1...300) + [1000, 1001, 5000]
  private static let places: [ClosedRange<Int64>] = [
    1...1, 1...7, 100...129, 100...100, 301...900, 290...1000, 250...4999, 17...299,
  ]

  @Test(arguments: places, [1, 2, 7, 256])
  func `all rows are found but those on the damaged page`(damaged: ClosedRange<Int64>, pages: Int) {
    let (found, reads) = Self.look(Self.rows, damaged: damaged, pages: pages)
    #expect(found.rows == Self.rows.filter { !damaged.contains($0) })
    #expect(found.gaps == 1 && found.hasRead)
    #expect(reads < 400)
  }

  @Test func `nothing is read twice where nothing is damaged`() {
    let (found, reads) = Self.look(Self.rows, damaged: nil, pages: 256)
    #expect(found == Found(rows: Self.rows, gaps: 0, hasRead: true))
    #expect(reads == 2)
  }

  @Test func `damage that reaches to the end is looked at a bounded number of times`() {
    let (found, reads) = Self.look(Self.rows, damaged: 280...Int64.max, pages: 256)
    #expect(found.rows == Array(Self.rows.prefix(279)))
    #expect(reads < 120)
    let (nothing, _) = Self.look(Self.rows, damaged: 1...Int64.max, pages: 256)
    #expect(nothing == Found(rows: [], gaps: 1, hasRead: false))
  }
}
