// Change fetching: cases CHG-01 to CHG-31.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct ZoneChangesTests {
  @Test func `CHG-01 a first fetch brings all live records and a token`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify((0..<3).map { .create("h\($0)") })
    let page = try await fixture.changes()
    #expect(page.summary == ["+h0", "+h1", "+h2"])
    #expect(!page.token.isEmpty)
    #expect(!page.moreComing)
  }

  @Test func `CHG-02 the newest token brings nothing and stays good`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let first = try await fixture.changes()
    let second = try await fixture.changes(since: first.token)
    #expect(second.summary == [])
    try await fixture.save(.create("h2"))
    #expect(try await fixture.changes(since: second.token).summary == ["+h2"])
  }

  @Test func `CHG-03 one save and one delete are one change and one deletion`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let token = try await fixture.changes().token
    try await fixture.save(.create("h2"))
    _ = try await fixture.modify([.delete("h1")])
    #expect(try await fixture.changes(since: token).summary == ["+h2", "-h1"])
  }

  @Test func `CHG-04 CHG-30 tokens of elsewhere are expired, never misread`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.makeZone(ZoneID(name: "Other"))
    try await fixture.makeZone(EngineFixture.trails, as: fixture.bob)
    let other = try await fixture.changes(zone: ZoneID(name: "Other")).token
    let bobs = try await fixture.changes(as: fixture.bob).token
    let database = try await fixture.databaseChanges().token
    let production = try await fixture.server.device("phone", of: "alice", environment: .production)
    try await fixture.makeZone(EngineFixture.trails, as: production)
    let elsewhere = try await fixture.changes(as: production).token
    for token in [other, bobs, database, elsewhere, "", "AAAA", "not base64!", "ö"] {
      let error = try await fixture.changesFailure(since: token)
      #expect(error.code == .changeTokenExpired, "token \(token)")
      #expect(error.reason.contains("differs from the server's"))
    }
  }

  @Test func `a token is refused whichever of its bits was changed`() async throws {
    let fixture = try await EngineFixture()
    let token = try await fixture.changes().token
    let characters = Array(token)
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    for index in characters.indices where characters[index] != "=" {
      let digit = try #require(alphabet.firstIndex(of: characters[index]))
      for bit in 0..<6 {
        var forged = characters
        forged[index] = alphabet[digit ^ 1 << bit]
        let error = try await fixture.changesFailure(since: String(forged))
        #expect(error.code == .changeTokenExpired)
      }
    }
    #expect(try await fixture.changesFailure(since: token + "A").code == .changeTokenExpired)
    #expect(try await fixture.changesFailure(since: token + "=").code == .changeTokenExpired)
    #expect(
      try await fixture.changesFailure(since: String(token.dropLast())).code == .changeTokenExpired)
  }

  @Test func `CHG-06 CHG-22 a zone that fails does not keep the others back`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let results = try await fixture.engine.changes.ofZones(
      [
        .init(zone: ZoneID(name: "Ghost")), .init(zone: EngineFixture.trails),
        .init(zone: EngineFixture.trails, token: "AAAA"),
      ], in: .private, as: fixture.phone)
    #expect(results[0].failure?.error.code == .zoneNotFound)
    #expect(try results[1].get().summary == ["+h1"])
    #expect(results[2].failure?.error.code == .changeTokenExpired)
  }

  @Test func `CHG-07 a first fetch contains no old deletion, on no page`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify((0..<6).map { .create("h\($0)") })
    _ = try await fixture.modify([.delete("h1"), .delete("h4")])
    #expect(try await fixture.changes().summary == ["+h0", "+h2", "+h3", "+h5"])
    var pages: [[String]] = []
    var token: String?
    var moreComing = true
    while moreComing {
      let page = try await fixture.changes(since: token, limit: 2)
      pages.append(page.summary)
      (token, moreComing) = (page.token, page.moreComing)
    }
    #expect(pages == [["+h0", "+h2"], ["+h3", "+h5"]])
  }

  @Test func `CHG-05 whoever starts over after an expired token gets old deletions if he asks`()
    async throws
  {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify((0..<4).map { .create("h\($0)") })
    _ = try await fixture.modify([.delete("h1"), .delete("h2")])
    var pages: [[String]] = []
    var request = ZoneChangesRequest(zone: EngineFixture.trails, limit: 3, withDeletions: true)
    var moreComing = true
    while moreComing {
      let page = try #require(
        try await fixture.engine.changes.ofZones([request], in: .private, as: fixture.phone).first
      ).get()
      pages.append(page.summary)
      (request.token, moreComing) = (page.token, page.moreComing)
    }
    #expect(pages == [["+h0", "+h3", "-h1"], ["-h2"]])
  }

  @Test func `CHG-08 CHG-09 CHG-27 pages follow each other without gaps`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify((0..<7).map { .create("h\($0)") })
    var seen: [String] = []
    var token: String?
    var moreComing = true
    while moreComing {
      let page = try await fixture.changes(since: token, limit: 3)
      #expect(page.changes.count <= 3)
      #expect(page.token != token)
      seen += page.summary
      (token, moreComing) = (page.token, page.moreComing)
    }
    #expect(seen == (0..<7).map { "+h\($0)" })
  }

  @Test func `CHG-16 what changes during a fetch belongs to the next one`() async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify((0..<4).map { .create("h\($0)") })
    let first = try await fixture.changes(limit: 2)
    try await fixture.save(.force("h0", ["km": .int64(1)]))
    try await fixture.save(.create("late"))
    _ = try await fixture.modify([.delete("h1")])
    let second = try await fixture.changes(since: first.token, limit: 10)
    #expect(second.summary == ["+h2", "+h3"])
    #expect(!second.moreComing)
    let next = try await fixture.changes(since: second.token)
    #expect(next.summary == ["+h0", "+late", "-h1"])
  }

  @Test func `CHG-17 a record that changed five times comes once, in its latest state`()
    async throws
  {
    let fixture = try await EngineFixture()
    let token = try await fixture.changes().token
    for km in 1...5 { try await fixture.save(.force("h1", ["km": .int64(Int64(km))])) }
    let page = try await fixture.changes(since: token)
    #expect(page.summary == ["+h1"])
    guard case .changed(let stored) = page.changes[0] else { return }
    #expect(try stored.record().fields["km"] == .int64(5))
  }

  @Test func `CHG-18 a record that came and went leaves at most a deletion`() async throws {
    let fixture = try await EngineFixture()
    let token = try await fixture.changes().token
    try await fixture.save(.create("h1"))
    _ = try await fixture.modify([.delete("h1")])
    #expect(try await fixture.changes(since: token).summary == ["-h1"])
  }

  @Test func `CHG-19 a record that went and came back is a change and no deletion`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let token = try await fixture.changes().token
    _ = try await fixture.modify([.delete("h1")])
    try await fixture.save(.create("h1"))
    #expect(try await fixture.changes(since: token).summary == ["+h1"])
  }

  @Test func `CHG-24 CHG-25 database changes list changed and deleted zones, not the default one`()
    async throws
  {
    let fixture = try await EngineFixture()
    try await fixture.makeZone(ZoneID(name: "Other"))
    try await fixture.save(.create("d"), zone: nil)
    let first = try await fixture.databaseChanges()
    #expect(Set(first.summary) == ["+Trails", "+Other"])
    try await fixture.save(.create("h1"))
    try await fixture.deleteZone(ZoneID(name: "Other"))
    let second = try await fixture.databaseChanges(since: first.token)
    #expect(second.summary == ["+Trails", "-Other deleted"])
    #expect(try await fixture.databaseChanges(since: second.token).summary == [])
    // Whoever begins is notified of zones that are gone too.
    #expect(try await fixture.databaseChanges().summary == ["+Trails", "-Other deleted"])
  }

  @Test func `CHG-26 fetching changes does not change anything`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let first = try await fixture.changes()
    let again = try await fixture.changes()
    #expect(first.summary == again.summary)
    #expect(first.token == again.token)
  }

  @Test func `CHG-28 more never comes with an empty page and the same token`() async throws {
    let fixture = try await EngineFixture(limits: .tiny)
    for index in 0..<40 { try await fixture.save(.create("h\(index)")) }
    let token = try await fixture.changes(limit: 1).token
    for index in 0..<39 { _ = try await fixture.modify([.delete("h\(index)")]) }
    let page = try await fixture.changes(limit: 1)
    #expect(page.summary == ["+h39"])
    #expect(!page.moreComing)
    var next = try await fixture.changes(since: token, limit: 3)
    var last = token
    var count = next.changes.count
    while next.moreComing {
      #expect(next.token != last)
      #expect(!next.changes.isEmpty)
      last = next.token
      next = try await fixture.changes(since: last, limit: 3)
      count += next.changes.count
    }
    #expect(count > 0)
  }

  @Test func `database changes come in pages`() async throws {
    let fixture = try await EngineFixture()
    for name in ["A", "B", "C", "D"] { try await fixture.makeZone(ZoneID(name: name)) }
    var seen: [String] = []
    var token: String?
    var moreComing = true
    while moreComing {
      let page = try await fixture.databaseChanges(since: token, limit: 2)
      #expect(page.zones.count <= 2)
      seen += page.summary
      (token, moreComing) = (page.token, page.moreComing)
    }
    #expect(seen == ["+Trails", "+A", "+B", "+C", "+D"])
  }

  @Test(arguments: [["Hike"], ["Lake"], ["Hike", "Lake"]])
  func `only the desired types come`(_ types: [String]) async throws {
    let fixture = try await EngineFixture()
    _ = try await fixture.modify([.create("h1"), .create("l1", type: "Lake")])
    let names = types.map { $0 == "Hike" ? "+h1" : "+l1" }
    #expect(try await fixture.changes(types: Set(types)).summary == names)
  }

  @Test func `CHG-31 the public database has no change feeds`() async throws {
    let fixture = try await EngineFixture()
    let database = try await ruleFailure { try await fixture.databaseChanges(in: .public) }
    #expect(database.code == .badDatabase)
    let zone = try await ruleFailure {
      try await fixture.changes(zone: ZoneID(name: ZoneID.defaultName), in: .public)
    }
    #expect(zone.code == .badDatabase)
  }

  @Test func `restoring a store expires the tokens of before`() async throws {
    let fixture = try await EngineFixture()
    let token = try await fixture.changes().token
    try await fixture.server.store.write(in: .all) {
      try $0.settings.set(.generation, to: Array("2".utf8))
    }
    let restored = try await Engine(
      store: fixture.server.store, limits: .apple,
      host: .test(clock: fixture.server.clock, seed: 9))
    let results = try await restored.changes.ofZones(
      [.init(zone: EngineFixture.trails, token: token)], in: .private, as: fixture.phone)
    #expect(results[0].failure?.error.code == .changeTokenExpired)
  }
}
