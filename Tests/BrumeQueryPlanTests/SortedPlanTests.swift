// When a sorted query walks an index, in which order, and when it fetches and sorts.

import BrumeModel
import BrumePredicate
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import Testing

struct SortedPlanTests {
  static let equal = Filter(.equals, .field("s"), .string("a"))
  static let byNumber = Sort(.field("n"), ascending: false)

  private func plan(
    _ request: EngineQuery, _ keys: TypeKeys, rows: [Int64: Int] = [:]
  ) throws -> SortedPlan {
    let query = try #require(ZoneQuery(request, inZone: 1, keys))
    return query.sortedPlan(many: 1000, counting: counter(rows))
  }

  private func walked(_ plan: SortedPlan) -> KeyWalk? {
    if case .walk(let walk) = plan { walk } else { nil }
  }

  @Test func `a type is walked in the order of the sort's index`() throws {
    let keys = TypeKeys.sample(["n": .number])
    let walk = try #require(walked(plan(.sample(sorts: [Self.byNumber]), keys)))
    #expect(walk.key.id == 1 && walk.range == nil && !walk.ascending && !walk.hasMissing)
    #expect(walk.rowLimit(count: 11) == 11)
  }

  @Test func `few candidates are sorted, many are met on the walk and checked`() throws {
    let keys = TypeKeys.sample(["n": .number, "s": .text])
    let request = EngineQuery.sample([Self.equal], sorts: [Self.byNumber])
    guard case .sort(let plan) = try plan(request, keys, rows: [2: 999]) else {
      Issue.record("999 candidates are walked")
      return
    }
    #expect(plan.source == keys.rows("s", .equals(.text("a"))).map { .index($0) })
    let walk = try #require(walked(self.plan(request, keys, rows: [2: 1000])))
    #expect(walk.checks.probes == [try #require(keys.rows("s", .equals(.text("a"))))])
    #expect(walk.rowLimit(count: 11) == nil)
  }

  @Test func `a condition on the sort's field bounds the walk`() throws {
    let keys = TypeKeys.sample(["n": .number], isSparse: true)
    let less = Filter(.lessThan, .field("n"), .int64(7))
    let request = EngineQuery.sample([less], sorts: [Self.byNumber])
    let walk = try #require(walked(plan(request, keys, rows: [1: 5000])))
    #expect(walk.range == .between(lower: nil, upper: .init(value: .int(7), isIncluded: false)))
    // Records without the field do not meet it.
    #expect(!walk.hasMissing)
    #expect(walk.checks.isExact)
  }

  @Test func `two conditions on the sort's field bound the walk at both ends`() throws {
    let keys = TypeKeys.sample(["n": .number])
    let ends = [
      Filter(.greaterThan, .field("n"), .int64(5)), Filter(.lessThan, .field("n"), .int64(1200)),
    ]
    let walk = try #require(
      walked(plan(.sample(ends, sorts: [Self.byNumber]), keys, rows: [1: 5000])))
    #expect(
      walk.range
        == .between(
          lower: .init(value: .int(5), isIncluded: false),
          upper: .init(value: .int(1200), isIncluded: false)))
    #expect(walk.checks.isExact)
  }

  @Test func `records that lack the field belong to the walk of a sparse key`() throws {
    let keys = TypeKeys.sample(["n": .number], isSparse: true)
    let request = EngineQuery.sample(sorts: [Self.byNumber, Sort(.field("s"))])
    let walk = try #require(walked(plan(request, keys)))
    #expect(walk.hasMissing && walk.sortsBlocks)
    #expect(walk.rowLimit(count: 11) == nil)
  }

  @Test func `texts with one beginning are a block, whose order their records say`() throws {
    var cut = TypeKeys.sample(["n": .text])
    cut.fields["n"]?.keys[0].isCut = true
    let walk = try #require(walked(plan(.sample(sorts: [Self.byNumber]), cut)))
    #expect(walk.sortsBlocks && walk.rowLimit(count: 11) == nil)
  }

  @Test func `an index with a part of the values is no order`() throws {
    var kinds = TypeKeys.sample(["n": .number])
    kinds.fields["n"]?.keys.append(
      IndexKey(id: 9, kind: .unindexed, isSparse: true, isCut: false))
    for keys in [kinds, .sample(["n": .numbers]), .sample(["n": .place]), TypeKeys()] {
      #expect(try walked(plan(.sample(sorts: [Self.byNumber]), keys)) == nil)
    }
  }

  @Test func `where not all records are visible, candidates are sorted`() throws {
    let keys = TypeKeys.sample(["n": .number])
    let request = EngineQuery.sample(sorts: [Self.byNumber], visible: .named([ByteText("r")]))
    guard case .sort(let plan) = try plan(request, keys) else {
      Issue.record("records that are not there are walked")
      return
    }
    #expect(plan.source == .names(["r"]))
  }

  @Test func `a sort by distance looks into the nearest squares first`() throws {
    let keys = TypeKeys.sample(["p": .place])
    let here = Location(latitude: 0, longitude: 10)
    let sort = Sort(.field("p"), relativeLocation: here)
    guard case .nearest(let walk, let place) = try plan(.sample(sorts: [sort]), keys) else {
      Issue.record("distances are not searched by squares")
      return
    }
    #expect(place == here && walk.key.kind == .place && !walk.hasMissing)
    var search = SquareSearch(here, Query(recordType: "Trail", sorts: [sort]))
    let first = search.next()
    let square = try #require(first)
    // The half of the globe where the place is.
    #expect(square.distance(from: here) == 0)
    let far = Location(latitude: 91, longitude: 0)
    let nowhere = Sort(.field("p"), relativeLocation: far)
    guard case .sort = try plan(.sample(sorts: [nowhere]), keys) else {
      Issue.record("a place that is not on the globe is searched")
      return
    }
  }

  @Test(arguments: [true, false])
  func `a match without a place is kept, nearest first before all and else behind them`(
    ascending: Bool
  ) throws {
    let here = Location(latitude: 0, longitude: 10)
    let sort = Sort(.field("p"), ascending: ascending, relativeLocation: here)
    var search = SquareSearch(here, Query(recordType: "Trail", sorts: [sort]))
    let record = Record(name: "r", zone: ZoneID(name: "Trails"), type: "Trail")
    search.add(SortedMatch(zone: 1, name: "r").keyed(by: record, [sort]))
    let first = search.next()
    let (before, after) = (search.settled(before: first), search.settled())
    #expect(before.map(\.name) == (ascending ? ["r"] : []))
    #expect(after.map(\.name) == (ascending ? [] : ["r"]))
  }

  @Test func `a circle leaves squares outside of it out`() {
    let here = Location(latitude: 0, longitude: 10)
    let near = Filter(.near, .field("p"), .location(here), distance: 1000)
    let sort = Sort(.field("p"), relativeLocation: here)
    var search = SquareSearch(here, Query(recordType: "Trail", filters: [near], sorts: [sort]))
    #expect(!search.mayLackPlace)
    let squares = (search.next(), search.next())
    #expect(squares.0 != nil && squares.1 == nil)
  }
}
