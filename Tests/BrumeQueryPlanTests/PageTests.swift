// Where pages end, and how a walk keeps its matches in order.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import Testing

struct PageTests {
  static let zone = SearchedZone(number: 1, name: "Trails")

  private func stored(_ name: String, _ fields: [String: FieldValue] = [:]) -> StoredRecord {
    let record = Record(name: name, zone: ZoneID(name: "Trails"), type: "Trail", fields: fields)
    return StoredRecord(name: name, type: "Trail", sequence: 1, content: .value(record))
  }

  /// Answers whether the page goes on.
  private func add(_ name: String, to page: inout KeyPage, isMatch: Bool = true) -> Bool {
    page.look(at: name, in: Self.zone) && page.add(isMatch ? stored(name) : nil)
  }

  private func match(_ name: String, _ sorts: [Sort], _ fields: [String: FieldValue]) -> SortedMatch
  {
    let record = Record(name: name, zone: ZoneID(name: "Trails"), type: "Trail", fields: fields)
    return SortedMatch(zone: 1, name: name).keyed(by: record, sorts)
  }

  @Test func `a page ends before the first match that has no room, and goes on behind the last`() {
    var page = KeyPage(.sample(limit: 2))
    for name in ["a", "b"] {
      #expect(add(name, to: &page))
    }
    #expect(page.next == nil)
    #expect(!add("c", to: &page))
    #expect(page.records.map(\.name) == ["a", "b"])
    #expect(page.next == QueryPosition(offset: 2, zone: "Trails", name: "b"))
  }

  @Test func `a page that has looked at enough goes on behind the last candidate`() {
    var page = KeyPage(.sample(candidateLimit: 2))
    for name in ["a", "b"] {
      #expect(add(name, to: &page, isMatch: false))
    }
    #expect(!add("c", to: &page, isMatch: false))
    #expect(page.next == QueryPosition(offset: 0, zone: "Trails", name: "b"))
  }

  @Test func `one record always fits, however many bytes it has`() {
    var page = KeyPage(.sample(byteLimit: 1))
    #expect(add("a", to: &page))
    #expect(!add("b", to: &page))
    #expect(page.records.count == 1)
  }

  @Test func `the next page goes on in the zone where the last ended`() {
    let zones = ["A", "B", "C"].enumerated().map { SearchedZone(number: Int64($0), name: $1) }
    let request = EngineQuery.sample(after: QueryPosition(offset: 4, zone: "B", name: "r"))
    #expect(request.remaining(zones).map(\.name) == ["B", "C"])
    #expect(request.remaining(zones).map { request.start(in: $0) } == ["r", nil])
  }

  @Test func `a sorted page is cut by its offset`() {
    let request = EngineQuery.sample(
      after: QueryPosition(offset: 1, zone: "Trails", name: "a"), limit: 2)
    let page = SortedPage(request)
    #expect(page.count == 4)
    let matches = ["a", "b", "c", "d"].map { SortedMatch(zone: 1, name: $0, stored: stored($0)) }
    let slice = Array(page.slice(of: matches))
    let answer = page.page(slice, of: matches.count, [Self.zone])
    #expect(answer.records.map(\.name) == ["b", "c"])
    #expect(answer.next == QueryPosition(offset: 3, zone: "Trails", name: "c"))
    #expect(page.page(slice, of: 3, [Self.zone]).next == nil)
  }

  @Test func `a page says in which zone a damaged record is, in either order`() {
    let damaged = StoredRecord(damaged: "a", sequence: 1)
    let expected = ZoneKey(database: EngineQuery.sample().database, name: "Trails").id
    var byKey = KeyPage(.sample())
    let goesOn = byKey.look(at: "a", in: Self.zone) && byKey.add(damaged)
    #expect(goesOn)
    #expect(add("b", to: &byKey))
    #expect(byKey.records.map(\.zone) == [expected, nil])
    let match = SortedMatch(zone: 1, name: "a", stored: damaged)
    let sorted = SortedPage(.sample()).page([match], of: 1, [Self.zone])
    #expect(sorted.records.map(\.zone) == [expected])
  }

  @Test func `of the matches of many zones no more are kept than a page needs, and as many again`()
  {
    let sorts = [Sort(.field("n"))]
    func order(_ matches: [SortedMatch]) -> [String] {
      matches.inOrder(of: sorts) { $0.record }.prefix(2).map(\.name)
    }
    var (first, all, most) = (FirstMatches(count: 2, many: 10), [SortedMatch](), 0)
    for zone in 0..<300 {
      let matches = (0..<2).map {
        let number = FieldValue.int64(Int64((7 * zone + 300 * $0) % 601))
        return match("\(zone) \($0)", sorts, ["n": number])
      }
      all += matches
      first.add(matches) { $0.inOrder(of: sorts) { $0.record } }
      most = max(most, first.matches.count)
    }
    #expect(order(first.matches) == order(all))
    #expect(most < 14)
  }

  @Test func `a match keeps of a long text the beginning, and of other fields nothing`() {
    let text = FieldValue.string(String(repeating: "x", count: 900_000))
    let kept = match("a", [Sort(.field("s"))], ["s": text, "t": text])
    #expect(kept.record?.fields == ["s": .string(String(repeating: "x", count: 1025))])
  }

  @Test func `of whole texts those are kept that were needed last`() {
    let sorts = [Sort(.field("s"))]
    let texts = WholeTexts(most: 6000)
    let text = FieldValue.string(String(repeating: "x", count: 1000))
    func keep(_ names: [String]) {
      for name in names {
        let record = Record(
          name: name, zone: ZoneID(name: "Trails"), type: "Trail", fields: ["s": text, "t": text])
        texts.keep(record, of: SortedMatch(zone: 1, name: name), sorts)
      }
    }
    func kept(_ names: [String]) -> [String] {
      names.filter { texts.record(of: SortedMatch(zone: 1, name: $0))?.fields == ["s": text] }
    }
    keep(["a", "b", "c", "d"])
    #expect(kept(["a"]) == ["a"])
    keep(["e", "f", "g"])
    #expect(kept(["a", "b", "c", "d", "e", "f", "g"]) == ["a", "e", "f", "g"])
    #expect(texts.record(of: SortedMatch(zone: 2, name: "a")) == nil)
  }

  @Test func `equal values of the first sort wait until the other sorts have ordered them`() throws
  {
    let sorts = [Sort(.field("n")), Sort(.field("s"))]
    let query = try #require(
      ZoneQuery(.sample(sorts: sorts), inZone: 1, .sample(["n": .number])))
    guard case .walk(let plan) = query.sortedPlan(many: 1000, counting: counter([:])) else {
      Issue.record("the index is not walked")
      return
    }
    var walk = SortedWalk(plan, count: 2)
    let rows: [(String, Double, String)] = [
      ("a", 1, "z"), ("b", 1, "y"), ("c", 1, "x"), ("d", 2, ""),
    ]
    for (name, number, text) in rows {
      if walk.isEnd(ofBlock: .number(number)) {
        walk.endBlock { $0.inOrder(of: sorts) { $0.record } }
      }
      if walk.isFull { break }
      walk.look(at: .number(number))
      walk.add(match(name, sorts, ["n": .double(number), "s": .string(text)]))
    }
    #expect(walk.isFull && walk.block.isEmpty)
    #expect(walk.first.map(\.name) == ["c", "b"])
  }
}
