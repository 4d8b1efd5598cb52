// Where the candidates of a query come from, and what is checked of each.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import Testing

struct ZonePlanTests {
  static let equal = Filter(.equals, .field("n"), .int64(7))
  static let other = Filter(.equals, .field("s"), .string("a"))
  static let less = Filter(.lessThan, .field("n"), .int64(7))
  static let equals7 = ValueRange.equals(.int(7))

  private func plan(
    _ request: EngineQuery, _ keys: TypeKeys, rows: [Int64: Int] = [:]
  ) throws -> ZonePlan {
    let query = try #require(ZoneQuery(request.withVisibility, inZone: 1, keys))
    return query.plan(many: 1000, counting: counter(rows))
  }

  @Test func `an equality on an indexed field is answered by the index alone`() throws {
    let keys = TypeKeys.sample(["n": .number])
    let query = try #require(ZoneQuery(.sample([Self.equal]), inZone: 1, keys))
    // There is nothing to choose, so nothing is counted.
    let plan = try query.plan(many: 1000, counting: nothing)
    #expect(plan.source == keys.rows("n", Self.equals7).map { .index($0) })
    #expect(plan.isExact && !plan.mayHide)
  }

  @Test
  func `the condition with the fewest rows leads, another equality is asked for each candidate`()
    throws
  {
    let keys = TypeKeys.sample(["n": .number, "s": .text])
    let plan = try plan(.sample([Self.equal, Self.other]), keys, rows: [1: 900, 2: 3])
    #expect(plan.source == keys.rows("s", .equals(.text("a"))).map { .index($0) })
    #expect(plan.probes == [try #require(keys.rows("n", Self.equals7))])
    #expect(plan.residual == [])
    #expect(!plan.isExact)
  }

  @Test func `a range that does not lead is evaluated on the record`() throws {
    let keys = TypeKeys.sample(["n": .number, "s": .text])
    let plan = try plan(.sample([Self.less, Self.other]), keys, rows: [1: 900, 2: 3])
    #expect(plan.probes == [])
    #expect(plan.residual == [Self.less])
  }

  @Test func `both ends of one field are one range`() throws {
    let keys = TypeKeys.sample(["n": .number])
    let more = Filter(.greaterThan, .field("n"), .int64(3))
    let least = Filter(.greaterThanOrEquals, .field("n"), .int64(3))
    let query = try #require(ZoneQuery(.sample([Self.less, least, more]), inZone: 1, keys))
    let plan = try query.plan(many: 1000, counting: nothing)
    let range = ValueRange.between(
      lower: .init(value: .int(3), isIncluded: false),
      upper: .init(value: .int(7), isIncluded: false))
    #expect(plan.source == keys.rows("n", range).map { .index($0) })
    #expect(plan.isExact)
  }

  @Test func `a range of more rows than a page may read is evaluated, unless there are sorts`()
    throws
  {
    let keys = TypeKeys.sample(["n": .number])
    for (count, sorts, leads) in [
      (100, [], true), (101, [], false), (101, [Sort(.field("s"))], true),
    ] as [(Int, [Sort], Bool)] {
      let request = EngineQuery.sample([Self.less], sorts: sorts, candidateLimit: 20)
      let plan = try plan(request, keys, rows: [1: count])
      #expect((plan.source == .type) != leads)
      #expect(plan.residual == (leads ? [] : [Self.less]))
    }
  }

  @Test func `in place of such a range an equality leads, however many rows it has`() throws {
    let keys = TypeKeys.sample(["n": .number, "s": .text])
    for filters in [[Self.less, Self.other], [Self.other, Self.less]] {
      let plan = try plan(.sample(filters, candidateLimit: 20), keys, rows: [1: 1000, 2: 1000])
      #expect(plan.source == keys.rows("s", .equals(.text("a"))).map { .index($0) })
      #expect(plan.residual == [Self.less])
    }
  }

  @Test func `two conditions on a list are two, because two elements may meet them`() throws {
    let keys = TypeKeys.sample(["l": .texts])
    let filters = ["a", "b"].map { Filter(.listMemberBeginsWith, .field("l"), .string($0)) }
    #expect(try plan(.sample(filters), keys, rows: [1: 5]).residual.count == 1)
  }

  @Test func `two spellings of a text are two conditions`() throws {
    let spellings = ["caf\u{e9}", "cafe\u{301}"].map { Filter(.equals, .field("s"), .string($0)) }
    let plan = try plan(.sample(spellings), .sample(["s": .text]), rows: [1: 5])
    #expect(plan.probes.count == 1)
  }

  @Test func `equal conditions are one, and of many equalities four are asked for`() throws {
    let names = ["a", "b", "c", "d", "e", "f", "g"]
    let equalities = names.map { Filter(.equals, .field($0), .int64(7)) }
    let keys = TypeKeys.sample([
      "a": .number, "b": .number, "c": .number, "d": .number, "e": .number, "f": .number,
      "g": .number,
    ])
    let plan = try plan(.sample(equalities + equalities), keys, rows: [1: 2])
    #expect(plan.source == .index(try #require(keys.rows("b", Self.equals7))))
    #expect(plan.probes.count == 4)
    #expect(plan.residual == Array(equalities.suffix(2)))
  }

  @Test(arguments: [
    Filter(.notEquals, .field("n"), .int64(7)), Filter(.equals, .field("b"), .bytes([1])),
    Filter(.equals, .system(.modifiedUserRecordName), .string("_bob")),
    Filter(.listContainsAll, .field("n"), .list([.int64(1)], of: .int64)),
  ])
  func `what no index answers is evaluated on every record of the type:`(filter: Filter) throws {
    let keys = TypeKeys.sample(["n": .number, "b": .unindexed])
    let plan = try plan(.sample([filter]), keys)
    #expect(plan.source == .type)
    #expect(plan.residual == [filter])
  }

  @Test func `a field that is not yet wholly in the index answers nothing`() throws {
    var keys = TypeKeys.sample(["n": .number])
    keys.fields["n"]?.builtTo = "r17"
    let plan = try plan(.sample([Self.equal]), keys)
    #expect(plan.source == .type)
    #expect(plan.residual == [Self.equal])
  }

  @Test func `a type with few records is found by its creation times`() throws {
    let keys = TypeKeys.sample(["___createTime": .timestamp])
    #expect(
      try plan(.sample(), keys, rows: [1: 999]).source
        == keys.rows("___createTime", .all).map { .index($0) })
    #expect(try plan(.sample(), keys, rows: [1: 1000]).source == .type)
  }

  @Test func `no record is looked at if none has a value of the kind`() {
    let keys = TypeKeys.sample(["n": .text])
    #expect(ZoneQuery(.sample([Self.equal]), inZone: 1, keys) == nil)
    let search = Filter(.containsAllTokens, nil, .string("the"))
    #expect(ZoneQuery(.sample([search]), inZone: 1, TypeKeys()) == nil)
  }

  @Test func `what rows with the beginnings of texts find is evaluated`() throws {
    var keys = TypeKeys.sample(["s": .text])
    keys.fields["s"]?.keys[0].isCut = true
    let long = String(repeating: "x", count: 200)
    let filter = Filter(.equals, .field("s"), .string(long))
    let plan = try plan(.sample([filter]), keys)
    let beginning = IndexValue.cut(Array(repeating: UInt8(ascii: "x"), count: 128))
    #expect(plan.source == keys.rows("s", .equals(beginning)).map { .index($0) })
    #expect(plan.residual == [filter])
  }

  @Test func `where only its creator sees a record, the creator leads`() throws {
    let keys = TypeKeys.sample(["n": .number, "___createdBy": .reference])
    let mine = EngineQuery(
      database: .sample(owner: nil), zone: "Trails",
      query: Query(recordType: "Trail", filters: [Self.equal]), visible: .made(by: UserID("_bob")),
      after: nil, limit: 10, candidateLimit: .max)
    let leading = try plan(mine, keys, rows: [1: 1, 2: 900])
    #expect(leading.source == keys.rows("___createdBy", .equals(.text("_bob"))).map { .index($0) })
    #expect(leading.probes == [try #require(keys.rows("n", Self.equals7))])
    #expect(!leading.mayHide)
    // Without an index of creators, others' records are among the candidates.
    #expect(try plan(mine, .sample(["n": .number])).mayHide)
  }

  @Test func `names lead to the records themselves, in the order of their bytes`() throws {
    let names = Filter(
      .in, .system(.recordName), .list([.string("b"), .string("a"), .string("é")], of: .string))
    let keys = TypeKeys.sample(["n": .number])
    let plan = try plan(.sample([names, Self.equal]), keys)
    #expect(plan.source == .names(["a", "b", "é"]))
    #expect(plan.residual == [names, Self.equal])
    let visible = VisibleRecords.named([ByteText("b"), ByteText("c")])
    #expect(try self.plan(.sample([names], visible: visible), keys).source == .names(["b"]))
  }

  @Test func `all words are looked up and the rarest leads; what is found is evaluated`() throws {
    let keys = TypeKeys.sample(["~s": .texts], isSparse: true)
    let search = Filter(.containsAllTokens, .field("s"), .string("Summit lake"))
    let query = try #require(ZoneQuery(.sample([search]), inZone: 1, keys))
    let plan = query.plan(many: 1000) { rows, _ in
      rows.range == .oneOf([.text("lake"), .text("")]) ? 2 : 800
    }
    #expect(
      plan.source == keys.rows("~s", .oneOf([.text("lake"), .text("")])).map { .index($0) })
    #expect(plan.probes == [])
    #expect(plan.residual == [search])
  }

  @Test func `a circle leads to squares of the globe, whose records are evaluated`() throws {
    let keys = TypeKeys.sample(["p": .place])
    let near = Filter(
      .near, .field("p"), .location(Location(latitude: 60, longitude: 10)), distance: 1000)
    let plan = try plan(.sample([near]), keys)
    guard case .index(let rows) = plan.source, case .within(let ranges) = rows.range else {
      Issue.record("\(plan.source) is not a search of squares")
      return
    }
    #expect(!ranges.isEmpty && ranges.count <= 12)
    #expect(plan.residual == [near])
  }
}
