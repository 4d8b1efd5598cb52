// A request in zones of several owners: the database of each is a transaction of its own, and may refuse its part whole.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct SeveralOwnersTests {
  private let store = RefusingStore(MemoryStore(coders: .wire))

  /// Carol, and the zones of Alice and of Bob in which she may write.
  private func prepared() async throws -> (EngineFixture, carol: Caller, zones: [ZoneID]) {
    let fixture = try await EngineFixture(TestServer(store: store))
    let carol = try await fixture.server.device("carol-phone", of: "carol")
    try await fixture.makeZone(EngineFixture.trails, as: fixture.bob)
    var zones: [ZoneID] = []
    for owner in [fixture.phone, fixture.bob] {
      var draft = RecordDraft(name: Record.zoneShareName, type: Record.shareType)
      draft.publicPermission = .readWrite
      let share = try await fixture.save(RecordOperation(.create, draft), as: owner)
      let address = try #require(share.shortGUID)
      for result in try await fixture.engine.shares.accept([.init(value: address)], as: carol) {
        _ = try result.get()
      }
      zones.append(ZoneID(name: EngineFixture.trails.name, ownerName: owner.user?.name))
    }
    return (fixture, carol, zones)
  }

  /// Of each name one in each zone.
  private func creations(of names: [String], in zones: [ZoneID]) -> [RecordOperation] {
    names.flatMap { name in
      zones.map { zone in
        var operation = RecordOperation.create(name)
        operation.record.zone = zone
        return operation
      }
    }
  }

  @Test(arguments: [false, true])
  func `what is done in one owner's database is answered, though another's refuses its part`(
    isNamed: Bool
  ) async throws {
    let (fixture, carol, zones) = try await prepared()
    let id = isNamed ? "op-1" : nil
    let operations = creations(of: ["a", "b"], in: zones)
    store.refusing.value = try fixture.bob.databaseKey(.private)
    let results = try await fixture.modify(
      operations, in: .shared, zone: nil, id: id, as: carol)
    #expect(results.codes == [nil, .tryAgainLater, nil, .tryAgainLater])
    #expect(results[1].error?.retryAfter == 7)
    #expect(results[3].failure?.id == RecordID(name: "b", zone: zones[1]))
    #expect(try await fixture.exists("b"))
    #expect(try await !fixture.exists("b", as: fixture.bob))
    // The whole comes again: what was done is known by its name, or by its conflict.
    store.refusing.value = nil
    let again = try await fixture.modify(operations, in: .shared, zone: nil, id: id, as: carol)
    let known: BrumeError.Code? = isNamed ? nil : .conflict
    #expect(again.codes == [known, nil, known, nil])
    #expect(try await fixture.exists("b", as: fixture.bob))
  }

  @Test func `while nothing is done a request is refused whole`() async throws {
    let (fixture, carol, zones) = try await prepared()
    store.refusing.value = try fixture.phone.databaseKey(.private)
    let error = await #expect(throws: BrumeError.self) {
      _ = try await fixture.modify(
        creations(of: ["a"], in: zones), in: .shared, zone: nil, as: carol)
    }
    #expect(error?.code == .tryAgainLater)
    #expect(try await !fixture.exists("a", as: fixture.bob))
  }
}

/// A store in which one database takes no writes for now.
private final class RefusingStore: WrappingStore {
  let inner: any Store
  let refusing = Mutexed<DatabaseKey?>(nil)

  init(_ inner: any Store) { self.inner = inner }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    if let key = refusing.value, scope.parts.contains(.database(key)) {
      throw BrumeError(.tryAgainLater, "others are at work there", retryAfter: 7)
    }
    return try await inner.write(in: scope, reading: plan, body)
  }
}
