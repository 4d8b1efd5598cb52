// A server whose requests are counted, with Alice's and Bob's devices and short ways to ask it.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct GrowthServer: Sendable {
  static let zone = ZoneID(name: "Trails")

  let server: TestServer
  let phone: Caller
  let bob: Caller
  private let count = StepCount()
  private let folder: TemporaryFolder
  private let store: WorkStore
  var engine: Engine { server.engine }

  init(limits: Limits) async throws {
    folder = try TemporaryFolder()
    store = WorkStore(try folder.openSQLite(), count)
    server = try await TestServer(store: store, limits: limits)
    phone = try await server.device("phone", of: "alice")
    bob = try await server.device("tablet", of: "bob")
    try await make([Self.zone])
    // The development schema learns the type and its fields, once.
    try await save([.create("first")])
  }

  func close() async throws { try await store.close() }

  /// Steps of SQLite that a request takes.
  func steps(_ request: () async throws -> Void) async throws -> Int {
    _ = count.take()
    try await request()
    return count.take()
  }

  // MARK: Requests, whose failures are thrown

  func make(_ zones: [ZoneID]) async throws {
    let results = try await engine.zones.modify(
      zones.map { ZoneOperation(.create, $0) }, in: .private, as: phone)
    for result in results { _ = try result.get() }
  }

  func save(
    _ operations: [RecordOperation], in scope: DatabaseScope = .private,
    zone: ZoneID = GrowthServer.zone,
    as caller: Caller? = nil, id: String? = nil
  ) async throws {
    for result in try await results(operations, in: scope, zone: zone, as: caller, id: id) {
      _ = try result.get()
    }
  }

  func results(
    _ operations: [RecordOperation], in scope: DatabaseScope = .private,
    zone: ZoneID = GrowthServer.zone,
    as caller: Caller? = nil, id: String? = nil
  ) async throws -> [RecordResult] {
    try await engine.records.modify(
      ModifyRecordsRequest(zone: zone, operations: operations, atomic: false, operationID: id),
      in: scope, as: caller ?? phone)
  }

  /// All must fail: a kind that succeeded would count something else.
  func refused(_ operations: [RecordOperation]) async throws {
    let results = try await results(operations)
    #expect(results.allSatisfy { if case .failure = $0 { true } else { false } })
  }

  func lookup(_ names: [String], as caller: Caller? = nil) async throws {
    let results = try await engine.records.lookup(
      LookupRecordsRequest(zone: Self.zone, items: names.map { .init(name: $0) }), in: .private,
      as: caller ?? phone)
    for result in results { _ = try result.get() }
  }

  func query(_ filters: [Filter], limit: Int? = nil) async throws {
    _ = try await engine.queries.run(
      QueryRequest(
        query: Query(recordType: "Hike", filters: filters), zone: Self.zone, limit: limit),
      in: .private, as: phone)
  }

  func changes(
    of zones: [ZoneID], in scope: DatabaseScope = .private, limit: Int? = nil,
    as caller: Caller? = nil
  ) async throws {
    let results = try await engine.changes.ofZones(
      zones.map { ZoneChangesRequest(zone: $0, limit: limit) }, in: scope, as: caller ?? phone)
    for result in results { _ = try result.get() }
  }
}

extension RecordOperation {
  /// A record of the type that the schema knows.
  static func create(
    _ name: String, _ fields: [String: FieldValue] = ["n": .int64(1), "s": .string("a word")],
    parent: String? = nil, type: String = "Hike", zone: ZoneID? = nil
  ) -> RecordOperation {
    var draft = RecordDraft(
      name: name, type: type, zone: zone, fields: fields.mapValues { DraftField($0) })
    if let parent { draft.parent = .set(Reference(recordName: parent)) }
    return RecordOperation(.forceUpdate, draft)
  }

  static func remove(_ name: String) -> RecordOperation {
    RecordOperation(.forceDelete, RecordDraft(name: name))
  }

  /// A share of a root, with the people behind addresses.
  static func share(_ name: String, of root: String?, with addresses: [String])
    -> RecordOperation
  {
    var draft = RecordDraft(
      name: name, type: Record.shareType, shareRoot: root.map { ($0, nil) })
    draft.participants = addresses.map { address in
      Participant(
        id: "", role: .privateUser, permission: .readWrite, acceptance: .invited,
        identity: UserIdentity(emailAddress: address))
    }
    return RecordOperation(.create, draft)
  }
}
