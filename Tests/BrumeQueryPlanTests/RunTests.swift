// An engine that only keeps rows answers as plain evaluation does, whatever its index has so far; and the
// rows are those of the records, however they came about.

import BrumeModel
import BrumePredicate
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import Testing

struct RunTests {
  /// An engine with its index, which bodies of random changes and queries use by turns.
  private struct Trial {
    let engine: RowEngine
    let fields: FieldIndexes
    let index: QueryIndex
    let indexBuild: IndexBuild
    var generator: QueryGenerator
    var sequence: Int64 = 0

    init(seed: UInt64, bringsRecords: Bool) {
      engine = RowEngine(bringsRecords: bringsRecords)
      fields = FieldIndexes(engine)
      index = QueryIndex(engine, fields)
      indexBuild = IndexBuild(engine, fields, index, isAwaited: { false })
      generator = QueryGenerator(seed: seed)
    }

    /// One body that saves, changes and removes.
    mutating func change(_ count: Int) throws {
      index.bodyBegins()
      for _ in 0..<count {
        sequence += 1
        let name = "r\(generator.random.next(below: 150))"
        let key = RecordKey(zone: .sample(RowEngine.zone.name), name: name)
        let isRemoved = generator.random.one(in: 5)
        let record = isRemoved ? nil : generator.record(key, sequence: sequence)
        try engine.put(record, name, sequence: sequence, index)
      }
    }

    /// Every page of a query, which asks for its index first.
    func names(_ query: Query, limit: Int, few: Int) throws -> [String] {
      var (names, position, asks, isEnd) = ([String](), QueryPosition?.none, true, false)
      while !isEnd {
        let request = EngineQuery(
          database: .sample(), zone: RowEngine.zone.name, query: query, after: position,
          limit: limit, candidateLimit: 40)
        let rows = EngineRows(index: engine, records: engine, keys: fields)
        let tuning = QueryTuning(fewCandidates: few, asksForIndex: asks)
        do {
          let page = try QueryRun(request, rows, tuning).page(of: [RowEngine.zone])
          names += page.records.map(\.name)
          position = page.next
          isEnd = position == nil
        } catch let wanted as IndexWanted {
          try indexBuild.want(wanted)
          asks = false
        }
      }
      return names
    }

    /// The first page, however complete the index is.
    func page(
      _ query: Query, limit: Int, few: Int, bytes: Int = .max, texts: Int = 1 << 20,
      sorted: Int = .max, visible: VisibleRecords = .all
    ) throws -> EngineQueryPage {
      let request = EngineQuery(
        database: .sample(), zone: RowEngine.zone.name, query: query, visible: visible, after: nil,
        limit: limit, candidateLimit: .max, sortedLimit: sorted, byteLimit: bytes)
      let rows = EngineRows(index: engine, records: engine, keys: fields)
      var tuning = QueryTuning(fewCandidates: few)
      tuning.textBytes = texts
      return try QueryRun(request, rows, tuning).page(of: [RowEngine.zone])
    }

    /// Brings all that the query needs into the index.
    func indexAll(for query: Query) throws {
      _ = try names(query, limit: 400, few: 0)
      while try indexBuild.advance(after: nil, limit: 100) != nil {}
    }

    func expected(_ query: Query) -> [String] {
      engine.records.values.map(\.record).filter {
        $0.type == query.recordType
          && Evaluate.matches(query.filters, $0, searchable: { _ in true })
      }
      .sorted { Evaluate.precedes($0, $1, query.sorts) }.map(\.name)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64], [true, false])
  func `random queries find what plain evaluation finds`(seed: UInt64, bringsRecords: Bool) throws {
    var trial = Trial(seed: seed, bringsRecords: bringsRecords)
    for round in 0..<30 {
      try trial.change(trial.generator.random.one(in: 3) ? 70 : 4)
      for _ in 0..<8 {
        let query = trial.generator.query()
        let few = trial.generator.random.one(in: 2) ? 0 : 1000
        let limit = 1 + trial.generator.random.next(below: 20)
        let found = try trial.names(query, limit: limit, few: few)
        #expect(
          found == trial.expected(query), "seed \(seed), round \(round), few \(few), \(query)")
      }
      // Now and then everything comes in, and often a part.
      let steps = trial.generator.random.one(in: 4) ? .max : trial.generator.random.next(below: 9)
      var (last, taken) = (RecordTypeRowKey?.none, 0)
      while taken < steps, let step = try trial.indexBuild.advance(after: last, limit: 30) {
        (last, taken) = (step.type, taken + 1)
      }
    }
    // Whoever brings everything along is asked for nothing row by row.
    #expect((trial.engine.questions == 0) == bringsRecords)
  }

  @Test(arguments: [true, false], [true, false])
  func `the nearest and the farthest are those of plain evaluation`(
    ascending: Bool, bringsRecords: Bool
  ) throws {
    var trial = Trial(seed: 4, bringsRecords: bringsRecords)
    for number in 0..<300 {
      let place = Location(
        latitude: Double(trial.generator.random.next(below: 160)) - 80,
        longitude: Double(trial.generator.random.next(below: 340)) - 170)
      let fields = number % 50 == 0 ? [:] : ["place": FieldValue.location(place)]
      let record = Record.sample(
        "r\(number)", in: .sample("A"), sequence: Int64(number + 1), fields: fields)
      try trial.engine.put(record, record.name, sequence: Int64(number + 1), trial.index)
    }
    let sort = Sort(
      .field("place"), ascending: ascending,
      relativeLocation: Location(latitude: 40, longitude: 8))
    let query = Query(recordType: "Trail", sorts: [sort])
    _ = try trial.names(query, limit: 400, few: 0)
    while try trial.indexBuild.advance(after: nil, limit: 100) != nil {}
    let found = try trial.names(query, limit: 30, few: 0)
    #expect(found == trial.expected(query))
    #expect(try trial.page(query, limit: 30, few: 0, sorted: 300).records.count == 30)
    #expect(throws: BrumeError.self) { try trial.page(query, limit: 30, few: 0, sorted: 30) }
  }

  @Test(arguments: [true, false], [true, false])
  func `a long text does not make a sort look at every record`(
    ascending: Bool, bringsRecords: Bool
  ) throws {
    let trial = Trial(seed: 5, bringsRecords: bringsRecords)
    for number in 0..<300 {
      // Each four begin alike, as far as the index has them.
      let beginning = "\(100 + number / 4) " + String(repeating: "é", count: 80)
      let fields = ["s": FieldValue.string(beginning + "\(7 * number % 4)")]
      let record = Record.sample(
        "r\(number)", in: .sample("A"), sequence: Int64(number + 1), fields: fields)
      try trial.engine.put(record, record.name, sequence: Int64(number + 1), trial.index)
    }
    let query = Query(recordType: "Trail", sorts: [Sort(.field("s"), ascending: ascending)])
    _ = try trial.names(query, limit: 400, few: 0)
    while try trial.indexBuild.advance(after: nil, limit: 100) != nil {}
    #expect(try trial.names(query, limit: 7, few: 0) == trial.expected(query))
    let page = try trial.page(query, limit: 7, few: 0, sorted: 8)
    #expect(page.work.rows == 8)
    #expect(throws: BrumeError.self) { try trial.page(query, limit: 7, few: 0, sorted: 7) }
  }

  @Test(arguments: [true, false], [true, false])
  func `texts that begin alike for a thousand bytes are sorted by the rest`(
    ascending: Bool, isIndexed: Bool
  ) throws {
    let trial = Trial(seed: 7, bringsRecords: false)
    for number in 0..<40 {
      let end = number % 4 == 3 ? "\(7 * number % 10)" : ""
      let text = String(repeating: "é", count: 511 + number % 4) + end
      let record = Record.sample(
        "r\(number)", in: .sample("A"), sequence: Int64(number + 1),
        fields: ["s": .string(text), "n": .int64(Int64(number % 3))])
      try trial.engine.put(record, record.name, sequence: Int64(number + 1), trial.index)
    }
    let sorts = [Sort(.field("s"), ascending: ascending), Sort(.field("n"))]
    let query = Query(recordType: "Trail", sorts: sorts)
    if isIndexed { try trial.indexAll(for: query) }
    let page = try trial.page(query, limit: 50, few: 0)
    #expect(page.records.map(\.name) == trial.expected(query))
  }

  enum Alike: CaseIterable {
    case wholly, inWhatNobodyCompares, exceptTheEnd, withoutRoom
  }

  @Test(arguments: Alike.allCases)
  func `a text that begins as others do is read once, if there is room or no need:`(
    alike: Alike
  ) throws {
    let trial = Trial(seed: 10, bringsRecords: false)
    for number in 0..<40 {
      let end = alike == .wholly ? "" : "\(7 * number % 40)"
      let text = String(repeating: "x", count: 2000) + end
      let record = Record.sample(
        "r\(number)", in: .sample("A"), sequence: Int64(number + 1),
        fields: ["s": .string(text), "n": .int64(Int64(7 * number % 40))])
      try trial.engine.put(record, record.name, sequence: Int64(number + 1), trial.index)
    }
    let sorts = [Sort(.field("s")), Sort(.field("n"))]
    let query = Query(
      recordType: "Trail", sorts: alike == .inWhatNobodyCompares ? sorts.reversed() : sorts)
    let room = alike == .exceptTheEnd ? 1 << 20 : alike == .withoutRoom ? 8000 : 0
    let page = try trial.page(query, limit: 50, few: 0, texts: room)
    #expect(page.records.map(\.name) == trial.expected(query))
    #expect((trial.engine.questions == 40) == (alike != .withoutRoom))
  }

  @Test(arguments: [true, false])
  func `a sorted page fetches no more records than its bytes allow`(isIndexed: Bool) throws {
    let trial = Trial(seed: 8, bringsRecords: false)
    for number in 0..<20 {
      let record = Record.sample(
        "r\(number)", in: .sample("A"), sequence: Int64(number + 1),
        fields: ["n": .int64(Int64(number))])
      try trial.engine.put(record, record.name, sequence: Int64(number + 1), trial.index)
    }
    let query = Query(recordType: "Trail", sorts: [Sort(.field("n"))])
    if isIndexed { try trial.indexAll(for: query) }
    let before = trial.engine.fetched
    let page = try trial.page(query, limit: 9, few: 0, bytes: 1)
    #expect(page.records.map(\.name) == ["r0"])
    #expect(page.next?.offset == 1)
    #expect(trial.engine.fetched - before == 1)
  }

  @Test(arguments: [[], [Sort(.field("n"))]])
  func `a damaged record is nobody's where only creators read`(sorts: [Sort]) throws {
    let trial = Trial(seed: 9, bringsRecords: false)
    let record = Record.sample("r1", in: .sample("A"), sequence: 1)
    try trial.engine.put(record, record.name, sequence: 1, trial.index)
    trial.engine.damaged = ["r1"]
    let query = Query(recordType: "Trail", sorts: sorts)
    #expect(try trial.page(query, limit: 9, few: 1000).records.map(\.name) == ["r1"])
    let visible = VisibleRecords.made(by: UserID("_u2"))
    #expect(try trial.page(query, limit: 9, few: 1000, visible: visible).records.isEmpty)
  }

  @Test func `a sort by names looks at no more records than the page needs`() throws {
    var trial = Trial(seed: 6, bringsRecords: true)
    for _ in 0..<4 { try trial.change(100) }
    let byName = [Sort(.system(.recordName)), Sort(.field("n"))]
    let filter = Filter(.greaterThanOrEquals, .field("n"), .int64(0))
    for filters in [[], [filter]] {
      let query = Query(recordType: "Trail", filters: filters, sorts: byName)
      #expect(try trial.names(query, limit: 7, few: 0) == trial.expected(query))
      #expect(try trial.page(query, limit: 3, few: 1000).work.rows < 40)
    }
    let all = Query(recordType: "Trail", sorts: byName)
    #expect(try trial.page(all, limit: 3, few: 1000).work.rows == 4)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `however rows came about, they are those of the records`(seed: UInt64) throws {
    var trial = Trial(seed: seed, bringsRecords: false)
    var wanted: Set<IndexPart> = []
    for _ in 0..<30 {
      try trial.change(trial.generator.random.one(in: 2) ? 70 : 4)
      for field in ["s", "n", "ls", "mixed", "p", "~"] where trial.generator.random.one(in: 20) {
        let type = RecordTypeRowKey(zone: 1, type: "Trail")
        var missing = IndexWanted(
          for: .sample(sorts: [Sort(.field(field))]))
        if field == "~" {
          missing = IndexWanted(for: .sample([Filter(.containsAllTokens, nil, .string("trail"))]))
        }
        missing.look(at: try trial.fields.keys(of: type), inZone: 1)
        try trial.indexBuild.want(missing)
        wanted.formUnion(missing.parts)
      }
      _ = try trial.indexBuild.advance(after: nil, limit: 30)
    }
    while try trial.indexBuild.advance(after: nil, limit: 30) != nil {}
    #expect(trial.engine.countUnfinished() == 0)
    var expected: Set<RowEngine.Row> = []
    for part in wanted {
      let field = try #require(trial.engine.field(part))
      for found in trial.engine.records.values where found.record.type == part.type.type {
        found.record.indexedValue(of: IndexedField(indexName: part.field), in: .sample())?
          .eachIndexRow { kind, value in
            let key = field.key(kind)
            #expect(key != nil && (key?.isCut == true || !value.isCut))
            expected.insert(
              RowEngine.Row(
                key: key?.id ?? 0, bytes: value.orderedBytes, name: ByteText(found.record.name),
                row: found.row))
          }
      }
    }
    #expect(!expected.isEmpty && trial.engine.rows == expected)
    try trial.index.removeContents(ofZone: 1)
    #expect(trial.engine.rows.isEmpty)
    let type = RecordTypeRowKey(zone: 1, type: "Trail")
    #expect(try trial.fields.keys(of: type).fields.isEmpty)
  }

  @Test func `what is remembered of keys is what is stored`() throws {
    var trial = Trial(seed: 9, bringsRecords: false)
    for _ in 0..<40 {
      try trial.change(trial.generator.random.one(in: 3) ? 70 : 2)
      _ = try trial.names(trial.generator.query(), limit: 9, few: 0)
      _ = try trial.indexBuild.advance(after: nil, limit: 20)
      for name in ["Trail", "Hut"] {
        let type = RecordTypeRowKey(zone: 1, type: name)
        #expect(try trial.fields.keys(of: type) == trial.engine.keys(of: type))
      }
    }
  }

  @Test func `an engine for which late rows are no cheaper has none`() throws {
    let engine = RowEngine(bringsRecords: false)
    let fields = FieldIndexes(engine)
    let part = IndexPart(type: RecordTypeRowKey(zone: 1, type: "Trail"), field: "n")
    engine.add(part)
    for (bulk, behind) in [(Int.max, nil), (IndexDelay.bulk, Int64(150))] as [(Int, Int64?)] {
      let index = QueryIndex(engine, fields, delay: IndexDelay(bulk: bulk))
      index.bodyBegins()
      let first = bulk == .max ? 0 : 100
      for number in first..<first + 100 {
        let record = Record.sample("r\(number)", sequence: Int64(number + 1))
        try engine.put(record, "r\(number)", sequence: Int64(number + 1), index)
      }
      #expect(engine.field(part)?.behind == behind)
    }
  }
}
