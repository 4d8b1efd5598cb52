// What most tests of the rules need: a server with Alice's and Bob's devices, and short ways to say
// "save this", "fetch that".

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

extension StoreCoders {
  static let wire = StoreCoders(
    record: .wire, encodeSubscription: Wire.encode,
    decodeSubscription: { try Wire.subscription($0) })
}

extension Limits {
  /// Apple's, with passwords that take no time: scrypt is compiled without optimizations in tests.
  static var quickPasswords: Limits {
    var limits = Limits.apple
    limits.passwordRounds = 16
    return limits
  }
}

struct EngineFixture: Sendable {
  let server: TestServer
  /// Alice's first and second device, and Bob's.
  let phone: Caller
  let tablet: Caller
  let bob: Caller
  var engine: Engine { server.engine }
  static let trails = ZoneID(name: "Trails")

  /// With a zone "Trails" in Alice's private database.
  init(limits: Limits = .apple, environment: Environment = .development) async throws {
    try await self.init(
      TestServer(coders: .wire, limits: limits), environment: environment)
  }

  /// The same on a server that is there.
  init(_ server: TestServer, environment: Environment = .development) async throws {
    self.server = server
    phone = try await server.device("phone", of: "alice", environment: environment)
    tablet = try await server.device("tablet", of: "alice", environment: environment)
    bob = try await server.device("bob-phone", of: "bob", environment: environment)
    try await makeZone(Self.trails)
  }

  /// Of Alice's session.
  func webToken(keep: Bool = false) async throws -> String {
    try await engine.webAuthTokens.issue(
      for: try #require(phone.user), in: TestContainer.development, keep: keep)
  }

  @discardableResult
  func makeZone(_ zone: ZoneID, as caller: Caller? = nil) async throws -> ZoneState {
    try #require(
      try await engine.zones.modify([.init(.create, zone)], in: .private, as: caller ?? phone)
        .first
    ).get()
  }

  @discardableResult
  func deleteZone(_ zone: ZoneID, as caller: Caller? = nil) async throws -> ZoneResult {
    try #require(
      try await engine.zones.modify([.init(.delete, zone)], in: .private, as: caller ?? phone)
        .first)
  }

  func modify(
    _ operations: [RecordOperation], atomic: Bool? = nil, in scope: DatabaseScope = .private,
    zone: ZoneID? = trails, id: String? = nil, as caller: Caller? = nil
  ) async throws -> [RecordResult] {
    try await engine.records.modify(
      .init(
        zone: scope == .public ? nil : zone, operations: operations, atomic: atomic,
        operationID: id),
      in: scope, as: caller ?? phone)
  }

  /// One operation; its failure is thrown.
  @discardableResult
  func save(
    _ operation: RecordOperation, in scope: DatabaseScope = .private, zone: ZoneID? = trails,
    as caller: Caller? = nil
  ) async throws -> Record {
    let results = try await modify([operation], in: scope, zone: zone, as: caller)
    let result = try #require(results.first)
    guard case .saved(let stored) = try result.get() else { throw Unexpected.deleted }
    return try stored.record()
  }

  /// The error of one operation.
  func failure(
    of operation: RecordOperation, in scope: DatabaseScope = .private, zone: ZoneID? = trails,
    as caller: Caller? = nil
  ) async throws -> BrumeError {
    let results = try await modify([operation], in: scope, zone: zone, as: caller)
    return try #require(results.first?.error)
  }

  func fetch(
    _ name: String, in scope: DatabaseScope = .private, zone: ZoneID? = trails,
    as caller: Caller? = nil
  ) async throws -> Record {
    let results = try await engine.records.lookup(
      .init(zone: scope == .public ? nil : zone, items: [.init(name: name)]), in: scope,
      as: caller ?? phone)
    guard case .saved(let stored) = try #require(results.first).get() else {
      throw Unexpected.deleted
    }
    return try stored.record()
  }

  func exists(
    _ name: String, in scope: DatabaseScope = .private, zone: ZoneID? = trails,
    as caller: Caller? = nil
  ) async throws -> Bool {
    do {
      _ = try await fetch(name, in: scope, zone: zone, as: caller)
      return true
    } catch let failure as ItemFailure<RecordID> where failure.error.code == .notFound {
      return false
    }
  }

  /// One page of a zone's changes.
  func changes(
    since token: String? = nil, limit: Int? = nil, zone: ZoneID = trails,
    in scope: DatabaseScope = .private, types: Set<String>? = nil, as caller: Caller? = nil
  ) async throws -> ZoneChangesPage {
    let results = try await engine.changes.ofZones(
      [.init(zone: zone, token: token, limit: limit, desiredTypes: types)], in: scope,
      as: caller ?? phone)
    return try #require(results.first).get()
  }

  func changesFailure(
    since token: String?, zone: ZoneID = trails, in scope: DatabaseScope = .private,
    as caller: Caller? = nil
  ) async throws -> BrumeError {
    let results = try await engine.changes.ofZones(
      [.init(zone: zone, token: token)], in: scope, as: caller ?? phone)
    return try #require(results.first?.failure?.error)
  }

  func databaseChanges(
    since token: String? = nil, limit: Int? = nil, in scope: DatabaseScope = .private,
    as caller: Caller? = nil
  ) async throws -> DatabaseChangesPage {
    try await engine.changes.ofDatabase(
      since: token, limit: limit, in: scope, as: caller ?? phone)
  }

  /// The log's record changes, oldest first.
  func log() async throws -> [LogEntry] {
    try await server.store.read { try $0.log.entries(in: .only, after: 0, limit: 10_000) }
  }

  enum Unexpected: Error { case deleted }
}

// MARK: Saying it shortly

extension RecordOperation {
  static func create(
    _ name: String, _ fields: [String: FieldValue] = [:], type: String = "Hike",
    parent: String? = nil
  ) -> RecordOperation {
    make(.create, name, fields, type: type, tag: nil, parent: parent)
  }
  static func update(
    _ record: Record, _ fields: [String: FieldValue?] = [:], parent: String? = nil
  ) -> RecordOperation {
    make(.update, record.name, fields, type: record.type, tag: record.changeTag, parent: parent)
  }
  static func force(
    _ name: String, _ fields: [String: FieldValue?] = [:], type: String = "Hike"
  ) -> RecordOperation {
    make(.forceUpdate, name, fields, type: type, tag: nil, parent: nil)
  }
  static func delete(_ name: String, tag: String? = nil) -> RecordOperation {
    RecordOperation(
      tag == nil ? .forceDelete : .delete, RecordDraft(name: name, changeTag: tag))
  }

  static func make(
    _ kind: Kind, _ name: String?, _ fields: [String: FieldValue?], type: String?, tag: String?,
    parent: String? = nil
  ) -> RecordOperation {
    var draft = RecordDraft(name: name, type: type, changeTag: tag)
    draft.fields = fields.mapValues { DraftField($0) }
    if let parent { draft.parent = .set(Reference(recordName: parent)) }
    return RecordOperation(kind, draft)
  }
}

extension Result where Success == RecordOutcome, Failure == ItemFailure<RecordID> {
  var error: BrumeError? { failure?.error }
  var isSuccess: Bool { failure == nil }
}

extension Result {
  var failure: Failure? {
    switch self {
    case .success: nil
    case .failure(let failure): failure
    }
  }
}

extension ZoneChangesPage {
  /// "+name" for each changed record and "-name" for each deletion.
  var summary: [String] {
    changes.map { change in
      switch change {
      case .changed(let stored): "+\(stored.name)"
      case .deleted(let name, _, _): "-\(name)"
      }
    }
  }
}

extension DatabaseChangesPage {
  var summary: [String] {
    zones.map { state in
      state.deletion.map { "-\(state.zone.name) \($0.rawValue)" } ?? "+\(state.zone.name)"
    }
  }
}

enum TestContainer {
  static let id = TestServer.container
  static let development = ContainerEnvironment(id, .development)
  static let production = ContainerEnvironment(id, .production)
}

extension [RecordResult] {
  var allSucceeded: Bool { allSatisfy { $0.isSuccess } }
  var codes: [BrumeError.Code?] { map { $0.error?.code } }
}
