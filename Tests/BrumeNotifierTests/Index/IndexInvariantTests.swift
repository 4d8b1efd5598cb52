import BrumeModel
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

/// That the checks of the index find what is wrong: each flaw is put into an index that has none.
struct IndexInvariantTests {
  private typealias Index = SubscriptionIndex

  /// Row 0 waits at a posting, row 1 at a condition, both in scope 0. Row 2 is of a shared database.
  private func index() throws -> Index {
    var index = Index()
    let one = Filter(.equals, .field("a"), .int64(1))
    let two = Filter(.equals, .field("b"), .int64(2))
    index.put(stored("exact", query("T", [one]), in: place(.public, alice)))
    index.put(stored("both", query("T", [one, two]), in: place(.public, alice)))
    index.put(stored("all", .database(recordType: nil), in: place(.shared, alice)))
    try #require(index.conditions.inUse == 1)
    try #require(index.checkInvariants() == [])
    return index
  }

  @Test func `subscriptions without rows are found`() throws {
    #expect(
      try index().with(rows: Index.Rows()).checkInvariants() == [
        "0 rows for 3 subscriptions", "1 shared ones noted, 0 there",
      ])
  }

  @Test func `a wrong number of shared subscriptions is found`() throws {
    #expect(
      try index().with(sharedCount: 2).checkInvariants() == ["2 shared ones noted, 1 there"])
  }

  @Test func `a subscription at a condition that is gone is found`() throws {
    let index = try index()
    var conditions = index.conditions
    conditions.remove(index.rows[1].holder)
    #expect(
      index.with(conditions: conditions).checkInvariants() == [
        "row 1 waits at a condition that is gone"
      ])
  }

  @Test func `a subscription at a posting that is gone is found`() throws {
    let flaws = try index().with(postings: Index.Postings()).checkInvariants()
    #expect(flaws.first == "row 0 waits at a posting that is gone")
  }

  @Test func `a posting that its scope does not know is found`() throws {
    let index = try index()
    var postings = index.postings
    _ = postings.use(key("c"), in: 0)
    let flaws = index.with(postings: postings).checkInvariants()
    #expect(flaws.count == 1)
    #expect(flaws.first?.hasPrefix("scope 0 has ") == true, "\(flaws)")
  }

  @Test func `what is left when the last subscription has gone is found`() throws {
    var index = try index()
    for id in ["exact", "both"] {
      index.remove(SubscriptionKey(scope: place(.public, alice), id: id))
    }
    index.remove(SubscriptionKey(scope: place(.shared, alice), id: "all"))
    try #require(index.checkInvariants() == [])
    var bounds = index.bounds
    _ = bounds.makeSet()
    #expect(
      index.with(bounds: bounds).checkInvariants() == [
        "something is left of subscriptions that are gone"
      ])
  }

  // MARK: Counts that end below zero

  @Test func `a posting that is left more often than it was used ends the process`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var postings = SubscriptionIndex.Postings()
      let number = postings.use(key("a"), in: 0).number
      _ = postings.release(number)
      _ = postings.release(number)
    }
    #expect(result.says("a posting has fewer than no subscriptions"))
  }

  @Test func `a string that is released more often than it was used ends the process`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var table = InternTable()
      let number = table.use([1])
      table.release(number)
      table.release(number)
    }
    #expect(result.says("a string is released more often than it was used"))
  }
}

/// Where a subscription waits that asks for one value of a field.
private func key(_ field: String) -> AccessKey {
  AccessPath.best(for: [Filter(.equals, .field(field), .int64(1))]) { _ in 0 }.keys[0]
}

extension SubscriptionIndex {
  /// The same with other parts.
  fileprivate func with(
    rows: Rows? = nil, postings: Postings? = nil, bounds: Bounds? = nil,
    conditions: Conditions? = nil, sharedCount: Int? = nil
  ) -> SubscriptionIndex {
    SubscriptionIndex(
      bucket: bucket, names: names, rows: rows ?? self.rows, scopes: scopes,
      postings: postings ?? self.postings, bounds: bounds ?? self.bounds,
      conditions: conditions ?? self.conditions, sharedCount: sharedCount ?? self.sharedCount)
  }
}
