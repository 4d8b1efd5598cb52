// Records with more rows than others should wait for: their rows come and go in steps, and in the end there is each one, and
// none too many.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeQueryPlan

@Suite struct LargeChangeTests {
  private static let type = RecordTypeRowKey(zone: RowEngine.zone.number, type: "Trail")
  private static let list = IndexPart(type: type, field: "n")
  private static let words = IndexPart(type: type, field: "~text")

  private let engine = RowEngine(bringsRecords: false)
  private let fields: FieldIndexes
  private let index: QueryIndex

  init() {
    fields = FieldIndexes(engine)
    index = QueryIndex(engine, fields, gone: engine)
  }

  private func want(_ parts: IndexPart..., isBuilt: Bool = true) throws {
    for part in parts {
      try fields.want(part)
      if isBuilt { try fields.setBuilt(part, to: nil) }
    }
  }

  /// A list of so many numbers, of eight bytes each.
  private func numbers(_ count: Int, from first: Int = 0) -> FieldValue {
    .list((first..<first + count).map { .int64(Int64($0)) }, of: .int64)
  }

  private func put(_ name: String, _ fields: [String: FieldValue]?, _ sequence: Int64) throws {
    let record = fields.map {
      Record.sample(name, in: .sample(RowEngine.zone.name), sequence: sequence, fields: $0)
    }
    try engine.put(record, name, sequence: sequence, index)
  }

  private func body(_ changes: () throws -> Void) rethrows {
    index.bodyBegins()
    try changes()
  }

  private func build(isAwaited: @escaping () -> Bool = { false }) -> IndexBuild {
    IndexBuild(engine, fields, index, isAwaited: isAwaited)
  }

  private func isComplete(_ part: IndexPart) -> Bool { engine.field(part)?.isComplete == true }

  /// Steps until nothing is left.
  private func finish(_ build: IndexBuild) throws -> Int {
    var steps = 0
    while try build.advance(after: nil, limit: 400) != nil { steps += 1 }
    return steps
  }

  private static let parts = IndexIntake.most / IndexBuild.rowsBetweenLooks

  @Test(arguments: [true, false], [true, false])
  func `a record with more rows than a step writes comes in several:`(
    isAwaited: Bool, isNew: Bool
  ) throws {
    let count = IndexIntake.most + IndexBuild.rowsBetweenLooks / 2
    if isNew { try want(Self.list) }
    try body { try put("a", ["n": numbers(count)], 1) }
    #expect(engine.rows.isEmpty && (engine.field(Self.list)?.behind == 0) == isNew)
    if !isNew { try want(Self.list, isBuilt: false) }
    let build = self.build { isAwaited }
    var largest = 0
    // One makes the rows, the others write them, and the last finds no more records.
    var steps = 0
    while !isComplete(Self.list) {
      let before = engine.rows.count
      _ = try #require(try build.advance(after: nil, limit: 400))
      largest = max(largest, engine.rows.count - before)
      steps += 1
    }
    #expect(engine.rows.count == count)
    #expect(largest == (isAwaited ? IndexBuild.rowsBetweenLooks : IndexIntake.most))
    #expect(steps == (isAwaited ? Self.parts + 3 : 4))
    #expect(try build.advance(after: nil, limit: 400) == nil)
  }

  @Test func `of a body's large records the first go at once, and the others later`() throws {
    try want(Self.list)
    for (sequence, name) in ["a", "b", "c"].enumerated() {
      try body { try put(name, ["n": numbers(7000)], Int64(sequence + 1)) }
    }
    #expect(engine.rows.count == 3 * 7000 && isComplete(Self.list))
    try body {
      try put("a", nil, 4)
      #expect(engine.rows.count == 2 * 7000 && engine.notes.isEmpty)
      try put("b", nil, 5)
      try put("c", ["n": numbers(3)], 6)
    }
    #expect(engine.rows.count == 2 * 7000 && engine.notes.count == 2)
    #expect(engine.field(Self.list)?.behind == 4)
    #expect(try finish(build { true }) > 2 * 7)
    #expect(engine.rows.count == 3 && engine.notes.isEmpty && isComplete(Self.list))
  }

  @Test func `one alone goes later if it is large, and at once in an engine that leaves nothing`()
    throws
  {
    try want(Self.list)
    try body { try put("a", ["n": numbers(9000)], 1) }
    _ = try finish(build())
    #expect(engine.rows.count == 9000)
    try body { try put("a", nil, 2) }
    #expect(engine.rows.count == 9000 && engine.notes.count == 1)
    _ = try finish(build())
    #expect(engine.rows.isEmpty && isComplete(Self.list))

    index.delay = IndexDelay(bulk: .max)
    try body { try put("b", ["n": numbers(9000)], 3) }
    #expect(engine.rows.count == 9000)
    try body { try put("b", nil, 4) }
    #expect(engine.rows.isEmpty && engine.notes.isEmpty && isComplete(Self.list))
  }

  @Test func `a large record whose long text stays is not taken in again`() throws {
    try want(Self.words)
    let text = FieldValue.string((0..<20).map { "w\($0)" }.joined(separator: " "))
    let filling = FieldValue.string(String(repeating: "x", count: 2 * IndexDelay.bytesAtOnce))
    try body { try put("a", ["text": text, "filling": filling], 1) }
    _ = try finish(build())
    try body { try put("a", ["text": text, "filling": .string("y")], 2) }
    #expect(engine.notes.isEmpty && isComplete(Self.words) && engine.rows.count == 20)
  }

  @Test func `of a long text in which one word changes one row goes`() throws {
    try want(Self.words)
    let many = (0..<15_000).map { "w\($0)" }.joined(separator: " ")
    try body { try put("a", ["text": .string(many + " old")], 1) }
    _ = try finish(build())
    #expect(engine.rows.count == 15_001)
    try body { try put("a", ["text": .string(many + " new")], 2) }
    #expect(engine.notes.count == 1 && !isComplete(Self.words))
    _ = try build().advance(after: nil, limit: 400)
    #expect(engine.rows.count == 15_000)
    _ = try finish(build())
    #expect(engine.rows.count == 15_001 && isComplete(Self.words))
  }

  @Test func `a record that changes between its steps has no row of what it had`() throws {
    try want(Self.list)
    try body { try put("a", ["n": numbers(IndexIntake.most + 1)], 1) }
    let build = self.build { true }
    for _ in 0..<3 { _ = try build.advance(after: nil, limit: 400) }
    #expect(engine.rows.count == 2 * IndexBuild.rowsBetweenLooks)
    try body { try put("a", ["n": numbers(5, from: 90_000)], 2) }
    _ = try finish(build)
    #expect(engine.rows.count == 5 && isComplete(Self.list))
  }

  @Test(arguments: [true, false])
  func `what is left of a record is forgotten if its own steps fail, and made again:`(
    isCommitted: Bool
  ) throws {
    try want(Self.list)
    try body { try put("a", ["n": numbers(IndexIntake.most + 1)], 1) }
    let build = self.build { true }
    for _ in 0..<3 { _ = try build.advance(after: nil, limit: 400) }
    if isCommitted { index.groupCommitted() }
    // Somebody's body has failed.
    index.forgetRemainders()
    // One step makes the rows, two were written, and the last finds no more records.
    #expect(try finish(build) == Self.parts + 1 + (isCommitted ? -2 + 1 : 1 + 1))
    #expect(engine.rows.count == IndexIntake.most + 1 && isComplete(Self.list))
  }

  @Test func `more types than rows are kept of come as well`() throws {
    let types = (0..<7).map { RecordTypeRowKey(zone: RowEngine.zone.number, type: "T\($0)") }
    for (number, type) in types.enumerated() {
      try want(IndexPart(type: type, field: "n"))
      let record = Record.sample(
        "r\(number)", in: .sample(RowEngine.zone.name), type: type.type,
        sequence: Int64(number + 1), fields: ["n": numbers(IndexIntake.most + 1)])
      try body { try engine.put(record, record.name, sequence: Int64(number + 1), index) }
    }
    let build = self.build { true }
    var last: RecordTypeRowKey?
    while let step = try build.advance(after: last, limit: 400) { last = step.type }
    #expect(engine.rows.count == 7 * (IndexIntake.most + 1))
  }

  @Test func `words of large records are cut between the steps, those that come and those that go`()
    throws
  {
    try want(Self.words)
    let many = (0..<15_000).map { "w\($0)" }.joined(separator: " ")
    // How many ask for words, and how many there are.
    func steps(_ text: String?, _ sequence: Int64) throws -> [Int] {
      try body { try put("a", text.map { ["text": .string($0)] }, sequence) }
      var (asking, all, prepared) = (0, 0, PreparedIndex?.none)
      let build = self.build()
      while let step = try build.advance(after: nil, limit: 400, words: .betweenSteps(prepared)) {
        if step.homework != nil { asking += 1 }
        prepared = step.homework?.done()
        all += 1
      }
      #expect(isComplete(Self.words) && engine.notes.isEmpty)
      return [asking, all]
    }
    // One asks, one takes it in, which is all.
    #expect(try steps(many, 1) == [1, 2])
    #expect(engine.rows.count == 15_000)
    // And before that one asks for what goes, and one takes it away.
    #expect(try steps(many + " new", 2) == [2, 4])
    #expect(engine.rows.count == 15_001)
    #expect(try steps(nil, 3) == [1, 3])
    #expect(engine.rows.isEmpty)
  }

  @Test func `what was cut of a record that has changed since is not taken`() throws {
    try want(Self.words)
    let many = (0..<15_000).map { "w\($0)" }.joined(separator: " ")
    try body { try put("a", ["text": .string(many)], 1) }
    let step = try build().advance(after: nil, limit: 400, words: .betweenSteps(nil))
    let prepared = try #require(step?.homework).done()
    try body { try put("a", ["text": .string("few words")], 2) }
    _ = try build().advance(after: nil, limit: 400, words: .betweenSteps(prepared))
    _ = try finish(build())
    #expect(engine.rows.count == 2 && isComplete(Self.words))
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `whatever changes between the steps, in the end the rows are those of the records`(
    seed: UInt64
  ) throws {
    try want(Self.list, Self.words)
    var (random, sequence) = (SeededRandom(seed: seed), Int64(0))
    var prepared: PreparedIndex?
    for _ in 0..<15 {
      try body {
        for _ in 0..<1 + random.next(below: 3) {
          sequence += 1
          try put("r\(random.next(below: 3))", fields(&random), sequence)
        }
      }
      let (isAwaited, mayAsk) = (random.one(in: 2), random.one(in: 2))
      for _ in 0..<random.next(below: 6) {
        let step = try build { isAwaited }.advance(
          after: nil, limit: 400, words: mayAsk ? .betweenSteps(prepared) : .inStep)
        prepared = step?.homework?.done()
      }
      if random.one(in: 8) { index.forgetRemainders() }
    }
    _ = try finish(build())
    #expect(engine.notes.isEmpty && isComplete(Self.list) && isComplete(Self.words))
    #expect(try engine.rows.map(\.place).sorted() == expected(), "seed \(seed)")
  }

  /// Nil: the record is removed.
  private func fields(_ random: inout SeededRandom) -> [String: FieldValue]? {
    if random.one(in: 4) { return nil }
    let count = [0, 5, 7000, 9000, IndexIntake.most + 1500][random.next(below: 5)]
    return [
      "n": numbers(count, from: random.next(below: 3) * 4000),
      "text": .string("a b c d e".dropFirst(2 * random.next(below: 4)).description),
    ]
  }

  /// The rows of an index that leaves nothing for later.
  private func expected() throws -> [String] {
    let other = RowEngine(bringsRecords: false)
    let index = QueryIndex(other, FieldIndexes(other), delay: IndexDelay(bulk: .max))
    for part in [Self.list, Self.words] {
      other.add(part)
      other.setBuilt(part, to: nil)
    }
    for (name, found) in engine.records {
      try other.put(found.record, name.text, sequence: found.sequence, index)
    }
    return other.rows.map(\.place).sorted()
  }
}

extension RowEngine.Row {
  /// Without the numbers, which each engine gives by itself.
  fileprivate var place: String { "\(name.text) \(bytes)" }
}
