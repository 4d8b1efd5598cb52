// A server whose store lets something happen between the read of what a large deletion takes along and its write.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct CascadeServer: Sendable {
  /// More than a write finds out by itself.
  static let holders = 600
  static let zone = ZoneID(name: "Trails")

  let server: TestServer
  let store: OvertakenReads
  let alice: Caller
  /// Read and write in the whole zone, by Alice's share.
  let bob: Caller
  /// The zone as it is called in shared databases.
  let shared: ZoneID
  var engine: Engine { server.engine }

  init(_ inner: any Store, in zone: ZoneID = zone, limits: Limits = .apple) async throws {
    store = OvertakenReads(inner)
    server = try await TestServer(store: store, limits: limits)
    alice = try await server.device("phone", of: "alice")
    let user = try await server.user("bob")
    bob = Caller(
      in: alice.containerEnvironment, user: user.id, device: nil, kind: .user,
      epoch: user.tokenEpoch, requestID: "bob")
    shared = ZoneID(name: zone.name, ownerName: alice.user?.name)
    _ = try await engine.zones.modify([.init(.create, zone)], in: .private, as: alice)
    try await fill(zone)
  }

  private func fill(_ zone: ZoneID) async throws {
    try await save([.create("area")], zone)
    for start in stride(from: 0, to: Self.holders, by: 200) {
      try await save((start..<start + 200).map { Self.hold("h\($0)") }, zone)
    }
  }

  /// One more zone with as many records.
  func addZone(_ zone: ZoneID) async throws {
    _ = try await engine.zones.modify([.init(.create, zone)], in: .private, as: alice)
    try await fill(zone)
  }

  /// A record that goes with the area.
  static func hold(
    _ name: String, _ action: Reference.Action = .deleteSelf, of target: String = "area",
    text: String? = nil
  ) -> RecordOperation {
    var fields = ["to": FieldValue.reference(Reference(recordName: target, action: action))]
    fields["text"] = text.map { .string($0) }
    return .create(name, fields)
  }

  func save(_ operations: [RecordOperation], _ zone: ZoneID = zone) async throws {
    for result in try await modify(operations, zone) { _ = try result.get() }
  }

  func modify(
    _ operations: [RecordOperation], _ zone: ZoneID = zone, in scope: DatabaseScope = .private,
    as caller: Caller? = nil
  ) async throws -> [RecordResult] {
    try await engine.records.modify(
      ModifyRecordsRequest(zone: zone, operations: operations, atomic: false), in: scope,
      as: caller ?? alice)
  }

  /// What each record became that changed since a token, as "+name" or "-name", in the order of changes.
  func changes(
    since token: String? = nil, in zone: ZoneID = zone
  ) async throws -> (lines: [String], token: String) {
    let request = ZoneChangesRequest(zone: zone, token: token)
    let results = try await engine.changes.ofZones([request], in: .private, as: alice)
    let page = try #require(results.first).get()
    let lines = page.changes.map { change in
      switch change {
      case .changed(let stored): "+\(stored.name)"
      case .deleted(let name, _, _): "-\(name)"
      }
    }
    guard page.moreComing else { return (lines, page.token) }
    let rest = try await changes(since: page.token, in: zone)
    return (lines + rest.lines, rest.token)
  }

  /// Names of the records that are there.
  func names(in zone: ZoneID = zone) async throws -> Set<String> {
    Set(
      try await changes(in: zone).lines.filter { $0.hasPrefix("+") }.map { String($0.dropFirst()) })
  }

  /// Opens the zone to everybody with the share's address, and lets Bob accept it.
  func share() async throws {
    try await save([shareOperation(.create, .readWrite)])
    let address = try #require(try await shareRecord().shortGUID)
    for result in try await engine.shares.accept([.init(value: address)], as: bob) {
      _ = try result.get()
    }
  }

  /// Whoever has joined may only read from now on.
  func letOthersOnlyRead() async throws {
    var operation = shareOperation(.update, .readOnly)
    operation.record.changeTag = try await shareRecord().changeTag
    try await save([operation])
  }

  private func shareRecord() async throws -> Record {
    let results = try await engine.records.lookup(
      LookupRecordsRequest(zone: Self.zone, items: [.init(name: Record.zoneShareName)]),
      in: .private, as: alice)
    guard case .saved(let stored) = try #require(results.first).get() else {
      throw BrumeError(.notFound, "the zone is not shared")
    }
    return try stored.record()
  }

  private func shareOperation(
    _ kind: RecordOperation.Kind, _ permission: SharePermission
  ) -> RecordOperation {
    var draft = RecordDraft(name: Record.zoneShareName, type: Record.shareType)
    draft.publicPermission = permission
    return RecordOperation(kind, draft)
  }
}

/// A store in which something else happens behind the next read, and which counts reads and writes.
final class OvertakenReads: WrappingStore {
  typealias Action = @Sendable () async throws -> Void
  let inner: any Store
  private let action = Mutexed<Action?>(nil)
  let reads = Mutexed(0)
  let writes = Mutexed(0)

  init(_ inner: any Store) { self.inner = inner }

  /// Counts from now on; `action` happens once.
  func overtake(by action: @escaping Action = {}) {
    (reads.value, writes.value) = (0, 0)
    self.action.value = action
  }

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    let value = try await inner.read(plan, body)
    reads.change { $0 += 1 }
    if let action = action.value {
      self.action.value = nil
      try await action()
    }
    return value
  }

  @discardableResult
  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    writes.change { $0 += 1 }
    return try await inner.write(in: scope, reading: plan, body)
  }
}
