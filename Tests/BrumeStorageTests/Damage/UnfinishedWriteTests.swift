// Damage that is met when something is written already: nothing of it is committed.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import GRDB
import Testing

extension DamagedRowsTests {
  private static let trails = ZoneID(name: "Trails")
  private static let other = ZoneID(name: "Other")

  /// Alice's zone "Trails" with "a", "c" below "p", and a share; her zone "Other" with "o".
  private func fillZones() async throws -> UserID {
    let server = try await TestServer(store: try folder.openSQLite())
    let alice = try await server.device(of: "alice")
    _ = try await server.engine.zones.modify(
      [.init(.create, Self.trails), .init(.create, Self.other)], in: .private, as: alice)
    var child = operation("c", .create)
    child.record.parent = .set(Reference(recordName: "p", action: .none))
    let share = RecordDraft(name: "s1", type: BrumeModel.Record.shareType, shareRoot: ("root", nil))
    let results = try await save(
      ["a", "p", "root"].map { operation($0, .create) } + [child, RecordOperation(.create, share)]
        + [operation("o", .create, in: Self.other)], at: server)
    #expect(results.allSatisfy { code(of: $0) == nil })
    try await server.store.close()
    return try alice.requireUser()
  }

  private func operation(
    _ name: String, _ kind: RecordOperation.Kind, in zone: ZoneID = trails, _ title: String = "old"
  ) -> RecordOperation {
    var draft = RecordDraft(name: name, type: "Trail", fields: ["t": DraftField(.string(title))])
    draft.zone = zone
    return RecordOperation(kind, draft)
  }

  private func save(
    _ operations: [RecordOperation], at server: TestServer, repeatedly id: String? = nil
  ) async throws -> [RecordResult] {
    try await server.engine.records.modify(
      ModifyRecordsRequest(
        zone: Self.trails, operations: operations, atomic: false, operationID: id),
      in: .private, as: server.device(of: "alice"))
  }

  private func code(of result: RecordResult) -> BrumeError.Code? {
    if case .failure(let failure) = result { failure.error.code } else { nil }
  }

  private func key(_ zone: ZoneID, of user: UserID) -> ZoneKey {
    let place = ContainerEnvironment(TestServer.container, .development)
    return ZoneKey(database: DatabaseKey(in: place, owner: user), name: zone.name)
  }

  @Test
  func `a batch that meets damage when it is written leaves its zone as it was, and no other's`()
    async throws
  {
    let trails = key(Self.trails, of: try await fillZones())
    try folder.onFile { database in
      try database.execute(
        sql: "UPDATE records SET content = replace(content, 'old', 'odd') WHERE name = 'p'")
      #expect(database.changesCount == 1)
    }
    let server = try await TestServer(store: try folder.openSQLite(), seed: 2)
    let before = try await server.store.read {
      (zone: try $0.zones.find(trails), position: try $0.log.lastPosition(in: .only))
    }
    let results = try await save(
      [
        operation("a", .forceUpdate, "new"), operation("c", .forceUpdate, "new"),
        operation("o", .forceUpdate, in: Self.other, "new"),
      ], at: server)
    #expect(results.map(code(of:)) == [.internalError, .internalError, nil])
    try await server.store.read { transaction in
      let record = try transaction.records.find(RecordKey(zone: trails, name: "a"))?.record()
      #expect(record?.fields["t"] == .string("old"))
      #expect(try transaction.zones.find(trails) == before.zone)
      let entries = try transaction.log.entries(in: .only, after: before.position, limit: 10)
      let changed = entries.compactMap { entry in
        if case .record(let change) = entry.event { change.record.name } else { nil }
      }
      #expect(changed == ["o"] && entries.count == 1)
    }
    try await server.store.close()
  }

  @Test func `a repeated request answers what is beside a record that was damaged since`()
    async throws
  {
    _ = try await fillZones()
    let operations = ["x", "y"].map { operation($0, .create) }
    let first = try await TestServer(store: try folder.openSQLite(), seed: 2)
    let saved = try await save(operations, at: first, repeatedly: "o1")
    #expect(saved.map(code(of:)) == [nil, nil])
    try await first.store.close()
    try folder.onFile { database in
      try database.execute(
        sql: "UPDATE records SET content = replace(content, 'old', 'odd') WHERE name = 'x'")
      #expect(database.changesCount == 1)
    }
    let second = try await TestServer(store: try folder.openSQLite(), seed: 3)
    let repeated = try await save(operations, at: second, repeatedly: "o1")
    #expect(repeated.map(code(of:)) == [.internalError, nil])
    try await second.store.close()
  }

  @Test func `a zone that cannot be deleted for damage keeps its records`() async throws {
    let trails = key(Self.trails, of: try await fillZones())
    try folder.onFile { database in
      try database.execute(
        sql: "UPDATE databases SET sequence_checksum = 1 WHERE owner = ?",
        arguments: [trails.database.owner?.name])
      #expect(database.changesCount == 1)
    }
    let server = try await TestServer(store: try folder.openSQLite(), seed: 2)
    let error = await #expect(throws: BrumeError.self) {
      try await server.engine.zones.modify(
        [.init(.delete, Self.trails)], in: .private, as: server.device(of: "alice"))
    }
    #expect(error?.code == .internalError)
    #expect(
      try await server.store.read { try $0.records.find(RecordKey(zone: trails, name: "a")) } != nil
    )
    try await server.store.close()
  }
}
