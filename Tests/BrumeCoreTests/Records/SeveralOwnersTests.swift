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

  @Test(arguments: [StoreError.Code.noRoom, .corrupt])
  func `what a store refuses of another owner's database fails its items, and is reported`(
    _ refused: StoreError.Code
  ) async throws {
    let (fixture, carol, zones) = try await prepared()
    let notified = Mutexed<[String]>([])
    let engine = try await Engine(
      store: store, limits: .apple, host: .test(clock: fixture.server.clock, seed: 9),
      refusals: StoreRefusals { error, requestID in
        notified.change { $0.append("\(error) in \(requestID)") }
      })
    store.refusal.value = StoreError(refused, "the disk")
    store.refusing.value = try fixture.bob.databaseKey(.private)
    let request = ModifyRecordsRequest(operations: creations(of: ["a", "b"], in: zones))
    let results = try await engine.records.modify(request, in: .shared, as: carol)
    let answered: BrumeError.Code = refused == .corrupt ? .internalError : .tryAgainLater
    #expect(results.codes == [nil, answered, nil, answered])
    #expect(results[1].error?.retryAfter == (refused == .corrupt ? nil : 5))
    #expect(notified.value == ["the disk in carol-carol-phone"])
    #expect(try await fixture.exists("b"))
  }

  @Test func `ZON-20 what another owner's database refuses of leaving is done when it comes again`()
    async throws
  {
    let (fixture, carol, zones) = try await prepared()
    let leave = zones.map { ZoneOperation(.delete, $0) }
    store.refusing.value = try fixture.bob.databaseKey(.private)
    let first = try await fixture.engine.zones.modify(
      leave, operationID: "op-1", in: .shared, as: carol)
    #expect(first.map { $0.failure?.error.code } == [nil, .tryAgainLater])
    #expect(first[1].failure?.error.retryAfter == 7)
    #expect(first[1].failure?.id == zones[1])
    store.refusing.value = nil
    let second = try await fixture.engine.zones.modify(
      leave, operationID: "op-1", in: .shared, as: carol)
    #expect(try second.map { try $0.get().deletion } == [.deleted, .deleted])
    #expect(try await fixture.engine.zones.list(in: .shared, as: carol).isEmpty)
  }

  @Test func `ZON-05 a repetition of leaving whose outcome was not kept finds nothing to leave`()
    async throws
  {
    let (fixture, carol, zones) = try await prepared()
    let leave = zones.map { ZoneOperation(.delete, $0) }
    store.refusing.value = try carol.databaseKey(.private)
    let first = try await fixture.engine.zones.modify(
      leave, operationID: "op-1", in: .shared, as: carol)
    #expect(try first.map { try $0.get().deletion } == [.deleted, .deleted])
    store.refusing.value = nil
    let second = try await fixture.engine.zones.modify(
      leave, operationID: "op-1", in: .shared, as: carol)
    #expect(second.map { $0.failure?.error.code } == [.zoneNotFound, .zoneNotFound])
  }
}

/// A store in which one database takes no writes for now.
private final class RefusingStore: WrappingStore {
  let inner: any Store
  let refusing = Mutexed<DatabaseKey?>(nil)
  let refusal = Mutexed<any Error>(
    BrumeError(.tryAgainLater, "others are at work there", retryAfter: 7))

  init(_ inner: any Store) { self.inner = inner }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    if let key = refusing.value, scope.parts.contains(.database(key)) {
      throw refusal.value
    }
    return try await inner.write(in: scope, reading: plan, body)
  }
}
