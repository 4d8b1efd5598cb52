// Texts in the order of their bytes, which is that of SQLite and PostgreSQL.

import BrumeStorage
import Testing

@Suite struct ByteTextTests {
  @Test func `a text comes before another by its bytes, and before one that goes on`() {
    let sorted = [
      "", "A", "a", "a\0", "ab", "b", "e\u{301}", "z", "\u{e9}", "\u{ff5e}", "\u{1f3d4}",
    ]
    for (place, first) in sorted.enumerated() {
      #expect(!(ByteText(first) < ByteText(first)))
      for second in sorted[(place + 1)...] {
        #expect(ByteText(first) < ByteText(second), "\(first), \(second)")
        #expect(!(ByteText(second) < ByteText(first)), "\(second), \(first)")
        #expect(first.utf8.lexicographicallyPrecedes(second.utf8))
      }
    }
  }
}
