// How much of an index one step takes in.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeQueryPlan

@Suite struct IndexBuildTests {
  /// The first step for so many records of a field, each as large as that.
  private func step(_ count: Int, bytes: Int, isAwaited: Bool, isLate: Bool = false) throws -> Int {
    let engine = RowEngine(bringsRecords: false)
    let fields = FieldIndexes(engine)
    let index = QueryIndex(engine, fields)
    let zone = ZoneKey.sample(RowEngine.zone.name)
    let part = IndexPart(
      type: RecordTypeRowKey(zone: RowEngine.zone.number, type: "Trail"), field: "text")
    for number in 0..<count {
      let record = Record.sample(
        "r\(1000 + number)", in: zone, sequence: Int64(number + 1),
        fields: ["text": .string(String(repeating: "x", count: bytes))])
      try engine.put(record, record.name, sequence: Int64(number + 1), index)
    }
    try fields.want(part)
    if isLate {
      try fields.setBuilt(part, to: nil)
      try fields.setBehind(part, 0)
    }
    let build = IndexBuild(engine, fields, index, isAwaited: { isAwaited })
    let step = try #require(try build.advance(after: nil, limit: 400))
    #expect(engine.rows.count == step.records)
    return step.records
  }

  @Test func `a step gives way to others after some records, or fewer that are large`() throws {
    #expect(try step(500, bytes: 100, isAwaited: true) == IndexStretch.records)
    #expect(try step(50, bytes: 100_000, isAwaited: true) == IndexStretch.first)
    #expect(try step(500, bytes: 100, isAwaited: false) == 400)
    #expect(try step(50, bytes: 100_000, isAwaited: false) == 50)
  }

  @Test func `after large records a step reads one at a time, and goes back to more`() {
    var stretch = IndexStretch()
    #expect(stretch.next == IndexStretch.first)
    stretch.add(records: 4, bytes: 4_000_000)
    #expect(stretch.isOver)
    stretch.begin()
    #expect(stretch.next == 1)
    stretch.add(records: 1, bytes: 100)
    #expect(!stretch.isOver)
    #expect(stretch.next == 2)
    stretch.add(records: 2, bytes: 200)
    stretch.add(records: 4, bytes: 400)
    stretch.add(records: 8, bytes: 800)
    #expect(stretch.next == IndexStretch.records - 15)
    stretch.add(records: 5, bytes: 500)
    #expect(stretch.isOver)
    stretch.begin()
    #expect(stretch.next == IndexStretch.records)
  }

  @Test func `records that were left for later are taken in together, large ones fewer at once`()
    throws
  {
    #expect(try step(1000, bytes: 100, isAwaited: true, isLate: true) == 1000)
    #expect(try step(500, bytes: 100_000, isAwaited: true, isLate: true) == 100)
  }
}
