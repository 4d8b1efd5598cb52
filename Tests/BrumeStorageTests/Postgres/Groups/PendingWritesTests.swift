// What a transaction sends before it is done.

import Testing

@testable import BrumePostgres

@Suite struct PendingWritesTests {
  private static let table = Table("t", key: [("id", .integer)], columns: [], earlyRows: 3)
  private static let other = Table("u", key: [("id", .integer)], columns: [])

  @Test func `rows go out as soon as they are many, those of other tables wait`() {
    var writes = PendingWrites()
    writes.put([.integer(1)], in: Self.other)
    for id in 0..<2 { writes.put([.integer(Int64(id))], in: Self.table) }
    #expect(writes.take(Self.table, from: 3, onCitus: false).isEmpty)
    // The same row again is no other.
    writes.put([.integer(1)], in: Self.table)
    #expect(writes.take(Self.table, from: 3, onCitus: false).isEmpty)
    writes.remove([.integer(2)], from: Self.table)
    #expect(writes.take(Self.table, from: 3, onCitus: false).count == 2, "one puts, one removes")
    #expect(writes.commands(onCitus: false).count == 1)
  }

  @Test func `with them goes what has to be carried out before`() {
    var writes = PendingWrites()
    writes.put([.integer(1)], in: Self.other)
    writes.add((SQL("SELECT 1"), []))
    for id in 0..<3 { writes.put([.integer(Int64(id))], in: Self.table) }
    #expect(writes.take(Self.table, from: 3, onCitus: false).count == 3)
    #expect(writes.isEmpty)
  }
}
