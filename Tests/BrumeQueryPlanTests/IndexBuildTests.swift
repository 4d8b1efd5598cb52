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

  @Test func `the steps for a query are of what it asked for, until all of that is there`() throws {
    let engine = RowEngine(bringsRecords: false)
    let fields = FieldIndexes(engine)
    let index = QueryIndex(engine, fields)
    for (number, type) in ["Peak", "Trail"].enumerated() {
      let record = Record.sample(
        type, in: .sample(RowEngine.zone.name), type: type, sequence: Int64(number + 1),
        fields: ["n": .int64(1)])
      try engine.put(record, type, sequence: Int64(number + 1), index)
    }
    let types = ["Peak", "Trail"].map { RecordTypeRowKey(zone: RowEngine.zone.number, type: $0) }
    try fields.want(IndexPart(type: types[0], field: "n"))
    var wanted = IndexWanted(for: .sample([Filter(.equals, .field("n"), .int64(1))]))
    wanted.look(at: try fields.keys(of: types[1]), inZone: types[1].zone)
    let build = IndexBuild(engine, fields, index, isAwaited: { false })
    try build.want(wanted)
    let step = try #require(try build.advance(for: wanted, limit: 400))
    #expect(step.type == types[1] && step.isLast && step.unfinished == 1)
    #expect(try build.advance(for: wanted, limit: 400) == nil)
    #expect(try build.countUnfinished() == 1)
  }

  @Test func `records that were left for later are taken in together, large ones fewer at once`()
    throws
  {
    #expect(try step(1000, bytes: 100, isAwaited: true, isLate: true) == 1000)
    // Four are read at once; with these there are 8 MB.
    #expect(try step(500, bytes: 100_000, isAwaited: true, isLate: true) == 84)
  }

  /// A text with so many different words.
  private func text(_ count: Int, from first: Int = 0) -> FieldValue {
    .string((first..<first + count).map { "w\($0)" }.joined(separator: " "))
  }

  private static let words = IndexPart(
    type: RecordTypeRowKey(zone: RowEngine.zone.number, type: "Trail"), field: "~text")

  private func put(
    _ name: String, _ text: FieldValue, _ sequence: Int64, _ engine: RowEngine, _ index: QueryIndex
  ) throws {
    let record = Record.sample(
      name, in: .sample(RowEngine.zone.name), sequence: sequence, fields: ["text": text])
    try engine.put(record, name, sequence: sequence, index)
  }

  @Test(arguments: [false, true])
  func `a step ends with the record that makes its rows enough, and the next goes on:`(
    isLate: Bool
  ) throws {
    let engine = RowEngine(bringsRecords: false)
    let fields = FieldIndexes(engine)
    let index = QueryIndex(engine, fields)
    for number in 1...3 {
      try put("r\(number)", text(IndexIntake.most / 2), Int64(number), engine, index)
    }
    try fields.want(Self.words)
    if isLate {
      try fields.setBuilt(Self.words, to: nil)
      try fields.setBehind(Self.words, 0)
    }
    let build = IndexBuild(engine, fields, index, isAwaited: { false })
    let first = try #require(try build.advance(after: nil, limit: 400))
    #expect(first.records == 2 && !first.isLast)
    #expect(engine.rows.count == IndexIntake.most)
    let second = try #require(try build.advance(after: nil, limit: 400))
    #expect(second.records == 1 && second.isLast)
    #expect(engine.rows.count == 3 * (IndexIntake.most / 2))
  }

  @Test func `what a body saves behind many rows comes into the index later, new or not`() throws {
    let engine = RowEngine(bringsRecords: false)
    let fields = FieldIndexes(engine)
    let index = QueryIndex(engine, fields)
    try fields.want(Self.words)
    try fields.setBuilt(Self.words, to: nil)
    let most = IndexDelay.rowsOfBody
    index.bodyBegins()
    try put("a", text(most - 1), 1, engine, index)
    try put("b", text(1), 2, engine, index)
    #expect(engine.rows.count == most && engine.field(Self.words)?.behind == nil)
    try put("c", text(10), 3, engine, index)
    try put("b", text(10), 4, engine, index)
    #expect(engine.rows.count == most, "the word that stays is left alone")
    #expect(engine.field(Self.words)?.behind == 2)
    try put("a", text(most - 1, from: most), 5, engine, index)
    #expect(engine.rows.count == 1, "what is gone is gone at once")
    let build = IndexBuild(engine, fields, index, isAwaited: { false })
    #expect(try build.advance(after: nil, limit: 400)?.isLast == true)
    #expect(engine.rows.count == most - 1 + 20)
  }

  @Test func `an engine for which it is no cheaper leaves nothing for later`() throws {
    let engine = RowEngine(bringsRecords: false)
    let fields = FieldIndexes(engine)
    let index = QueryIndex(engine, fields, delay: IndexDelay(bulk: .max))
    try fields.want(Self.words)
    try fields.setBuilt(Self.words, to: nil)
    index.bodyBegins()
    try put("a", text(IndexDelay.rowsOfBody), 1, engine, index)
    try put("b", text(10), 2, engine, index)
    #expect(engine.rows.count == IndexDelay.rowsOfBody + 10)
  }
}
