// Which shares a request reads, of those that its caller takes part in: they may be many and large.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore

struct ShareScopeTests {
  private static let names = ["0", "1", "2"]

  /// The roots "r0" to "r2" with shares "s0" to "s2", which bob has joined; he may write below the last.
  private func joined(_ store: any Store) async throws -> EngineFixture {
    let fixture = try await EngineFixture(TestServer(store: store))
    for name in Self.names {
      try await fixture.save(.create("r\(name)"))
      let open: SharePermission = name == "2" ? .readWrite : .readOnly
      let share = try await fixture.save(.share("s\(name)", of: "r\(name)", open: open))
      try await fixture.join(share, as: fixture.bob)
    }
    return fixture
  }

  private func zone(_ fixture: EngineFixture) throws -> ZoneKey {
    ZoneKey(database: try fixture.phone.databaseKey(.private), name: "Trails")
  }

  @Test func `a request reads the shares that it needs, not all that its caller has joined`()
    async throws
  {
    let store = CountingStore(MemoryStore(coders: .wire))
    let fixture = try await joined(store)
    let shared = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    func read(_ call: () async throws -> Void) async throws -> [String] {
      _ = store.take()
      try await call()
      let asked = store.take().flatMap(\.unplanned)
      return Self.names.map { "s\($0)" }.filter { name in
        asked.contains { $0.contains("record(") && $0.contains("\"\(name)\"") }
      }
    }
    let found = try await read {
      _ = try await fixture.fetch("r2", in: .shared, zone: shared, as: fixture.bob)
    }
    #expect(found == ["s0", "s2"])
    let saved = try await read {
      try await fixture.save(
        .force("r2", ["km": .int64(1)]), in: .shared, zone: shared, as: fixture.bob)
    }
    #expect(saved == ["s0", "s2"])
    let changed = try await read {
      _ = try await fixture.databaseChanges(in: .shared, as: fixture.bob)
    }
    #expect(changed == ["s0"])
    let (bob, key) = (
      try #require(fixture.bob.user), RecordKey(zone: try zone(fixture), name: "r2")
    )
    let permission = fixture.engine.permission
    let notified = try await read {
      let mayRead = try await store.read {
        try permission.mayRead(
          bob, key, type: "Hike", creator: nil, coveringShares: ["s2"], in: $0)
      }
      #expect(mayRead)
    }
    #expect(notified == ["s2"])
  }

  @Test func `shares are looked through for what they grant up to a bound of bytes`() async throws {
    let fixture = try await joined(MemoryStore(coders: .wire))
    let (bob, zone) = (try #require(fixture.bob.user), try zone(fixture))
    try await fixture.server.store.read { transaction in
      let memberships = try transaction.shares.memberships(of: bob, in: TestContainer.development)
      func scope(_ most: Int) -> ShareScope {
        ShareScope(of: bob, in: zone, among: memberships, from: transaction, mostBytes: most)
      }
      let readers = try ["s0", "s1"].reduce(0) { sum, name in
        sum + (try transaction.records.find(RecordKey(zone: zone, name: name))?.byteCount ?? 0)
      }
      #expect(try scope(0).isEmpty())
      #expect(try !scope(1).isEmpty())
      // Those that were read do not allow to write, and one that was not may.
      #expect(throws: BrumeError.self) { try scope(readers).best() }
      #expect(try scope(readers + 1).best() == .readWrite)
      let covered = try scope(readers + 1).coveredNames(limit: 100)
      #expect(
        covered
          == Set(
            (["r", "s"].flatMap { kind in Self.names.map { kind + $0 } }).map { ByteText($0) }))
      #expect(throws: BrumeError.self) { try scope(readers).coveredNames(limit: 100) }
      // What covers a record is read in any case.
      #expect(try scope(0).permission(through: ["s1", "s2"]) == .readWrite)
      #expect(try scope(0).permission(through: ["s3"]) == nil)
    }
  }

  @Test func `who sees nothing through a share any more starts over, and who sees something again`()
    async throws
  {
    let fixture = try await EngineFixture()
    let shared = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    for name in Self.names {
      try await fixture.save(.create("r\(name)"))
      let address = ["bob@example.org"]
      let share = try await fixture.save(.share("s\(name)", of: "r\(name)", with: address))
      try await fixture.join(share, as: fixture.bob)
    }
    func give(_ permission: SharePermission) async throws {
      let current = try await fixture.fetch("s1")
      var operation = RecordOperation.update(current)
      operation.record.participants = current.shareDetails?.participants.map { participant in
        var changed = participant
        changed.permission = permission
        return changed
      }
      try await fixture.save(operation)
    }
    for (permission, seen) in [(SharePermission.none, false), (.readOnly, true)] {
      let token = try await fixture.changes(zone: shared, in: .shared, as: fixture.bob).token
      try await give(permission)
      let error = try await fixture.changesFailure(
        since: token, zone: shared, in: .shared, as: fixture.bob)
      #expect(error.code == .changeTokenExpired)
      let page = try await fixture.changes(zone: shared, in: .shared, as: fixture.bob)
      #expect(page.summary.contains("+r1") == seen)
      // Nothing changes in what may be seen.
      try await give(permission)
      _ = try await fixture.changes(since: page.token, zone: shared, in: .shared, as: fixture.bob)
    }
  }
}
