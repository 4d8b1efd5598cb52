// The operator's rules on every engine: what they ask of a store that users' requests do not.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite struct OperatorRulesTests {
  enum Engine: String, CaseIterable, Sendable { case memory, sqlite, postgres }

  /// Alice shares a record with Bob, who has joined.
  private struct Fixture {
    let server: TestServer
    let folder: TemporaryFolder
    let alice: Caller
    let bob: Caller
    let zone = ZoneID(name: "Trails")

    init(_ engine: Engine) async throws {
      folder = try TemporaryFolder()
      let store: any Store =
        switch engine {
        case .memory: MemoryStore(coders: .wireForm, runsTwice: true)
        case .sqlite: try folder.openSQLite()
        case .postgres: try PostgresStore.forTest(buckets: 16)
        }
      server = try await TestServer(store: store)
      alice = try await server.device("phone", of: "alice")
      bob = try await server.device("phone", of: "bob")
      _ = try await server.engine.zones.modify([.init(.create, zone)], in: .private, as: alice)
    }

    func save(_ drafts: [RecordDraft]) async throws {
      let results = try await server.engine.records.modify(
        .init(zone: zone, operations: drafts.map { .init(.create, $0) }), in: .private, as: alice)
      for result in results { _ = try result.get() }
    }

    func share() async throws {
      var share = RecordDraft(name: "s1", type: Record.shareType, shareRoot: ("root", nil))
      share.participants = [
        Participant(
          id: "", role: .privateUser, permission: .readOnly, acceptance: .invited,
          identity: UserIdentity(emailAddress: "bob@example.org"))
      ]
      try await save([share, RecordDraft(name: "root", type: "Hike")])
      let page = try await server.engine.shareLists.page(
        of: try await view(), after: nil, limit: nil)
      let name = try #require(page.items.first?.name)
      let results = try await server.engine.records.lookup(
        .init(zone: zone, items: [.init(name: name)]), in: .private, as: alice)
      guard case .saved(let stored) = try #require(results.first).get() else { return }
      let guid = try #require(try stored.record().shortGUID)
      let joined = try await server.engine.shares.accept(
        [.init(value: guid, shouldFetchRootRecord: false)], as: bob)
      _ = try #require(joined.first).get()
    }

    func view() async throws -> OpenedView {
      try await server.engine.operatorViews.open(
        OperatorView(.private, of: "alice"), in: alice.containerEnvironment,
        requestID: "operator")
    }
  }

  @Test(arguments: Engine.allCases)
  func `a query says how many records it looked at, and SQL engines by which index`(
    engine: Engine
  ) async throws {
    let fixture = try await Fixture(engine)
    try await fixture.save(
      (0..<20).map {
        RecordDraft(name: "h\($0)", type: "Hike", fields: ["km": DraftField(.int64(Int64($0)))])
      })
    let view = try await fixture.view()
    let filter = Filter(.greaterThanOrEquals, .field("km"), .int64(18))
    let (page, cost) = try await fixture.server.engine.queries.explained(
      .init(query: Query(recordType: "Hike", filters: [filter]), zone: fixture.zone),
      in: view.scope, as: view.caller)
    #expect(page.records.count == 2)
    #expect(cost.rows == (engine == .memory ? 20 : 2))
    #expect(cost.sources == [engine == .memory ? "every record of the type" : "index km"])
    let (sorted, walk) = try await fixture.server.engine.queries.explained(
      .init(
        query: Query(recordType: "Hike", filters: [filter], sorts: [Sort(.field("km"))]),
        zone: fixture.zone), in: view.scope, as: view.caller)
    #expect(sorted.records.count == 2)
    #expect(walk.rows >= 2 && walk.sources.count == 1)
  }

  @Test(arguments: Engine.allCases)
  func `a user goes with everything, and those who shared with them notice`(
    engine: Engine
  ) async throws {
    let fixture = try await Fixture(engine)
    try await fixture.share()
    let removals = fixture.server.engine.userRemovals
    let report = try await removals.report(on: "alice")
    #expect(report.places.map(\.participants) == [1])
    let before = try await fixture.server.engine.changes.ofDatabase(
      since: nil, limit: nil, in: .shared, as: fixture.bob)
    #expect(before.zones.map(\.zone.name) == ["Trails"])
    #expect(try await removals.remove("alice").isDone)
    let after = try await fixture.server.engine.changes.ofDatabase(
      since: before.token, limit: nil, in: .shared, as: fixture.bob)
    #expect(after.zones.map(\.deletion) == [.deleted])
    #expect(try await fixture.server.engine.accounts.user(named: "alice") == nil)
    _ = try await removals.remove("bob")
    #expect(try await fixture.server.store.read { try $0.users.count() } == 0)
  }

  @Test(arguments: Engine.allCases)
  func `records of a dropped type are gone`(engine: Engine) async throws {
    let fixture = try await Fixture(engine)
    // More than one page of them.
    for start in [0, 150] {
      try await fixture.save(
        (start..<start + 150).map { RecordDraft(name: "h\($0)", type: "Hike") })
    }
    try await fixture.save([RecordDraft(name: "n1", type: "Note")])
    let schemas = fixture.server.engine.schemas
    let containerEnvironment = fixture.alice.containerEnvironment
    try await schemas.replace(
      by: "DEFINE SCHEMA RECORD TYPE Note (); ", in: containerEnvironment, allowsDrops: true)
    let left = try await fixture.server.engine.changes.ofZones(
      [.init(zone: fixture.zone)], in: .private, as: fixture.alice)
    let names = try #require(left.first).get().changes.map { change -> String in
      switch change {
      case .changed(let stored): stored.name
      case .deleted(let name, _, _): "-\(name)"
      }
    }
    #expect(names == ["n1"])
    let list = try await fixture.server.engine.zoneLists.page(
      of: try await fixture.view(), after: nil, limit: nil)
    #expect(list.items.map(\.zone.name) == ["Trails", "_defaultZone"])
  }
}
