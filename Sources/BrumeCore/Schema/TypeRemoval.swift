// The removal deletes every record of record types that leave a schema, so that none comes back with a type of
// the same name. Each is deleted as its owner would do it: with a line in the change feed, and pushes.

import BrumeModel
import BrumeStorage

struct TypeRemoval: Sendable {
  private let store: any Store
  private let records: Records
  private let limits: Limits
  private let host: Host

  init(_ parts: EngineParts) {
    store = parts.store
    records = Records(parts)
    limits = parts.limits
    host = parts.host
  }

  /// May take long: a transaction for each page of records.
  ///
  /// - Throws: `validatingReferenceError` if records of other types keep one from being deleted; what else keeps one.
  func removeRecords(
    of types: [String], in containerEnvironment: ContainerEnvironment
  ) async throws {
    // Shares are no schema's to remove.
    let types = types.filter { $0 != Record.shareType }
    if types.isEmpty { return }
    let databases = try await store.read { try $0.zones.databases(in: containerEnvironment) }
    for database in databases {
      for type in types { try await removeRecords(of: type, in: database) }
    }
  }

  private func removeRecords(of type: String, in database: DatabaseKey) async throws {
    var next: QueryPosition?
    repeat {
      let request = EngineQuery(
        database: database, zone: nil, query: Query(recordType: type), after: next,
        limit: limits.operationsPerRequest, candidateLimit: limits.candidatesPerPage)
      let page = try await store.read { try $0.queries.matching(request) }
      let found = try page.records.map { try $0.record() }
      for (zone, records) in Dictionary(grouping: found, by: \.zone) {
        try await remove(records.map(\.name), in: zone, of: database)
      }
      next = page.next
    } while next != nil
  }

  private func remove(_ names: [String], in zone: ZoneID, of database: DatabaseKey) async throws {
    // In the public database nobody is the owner; the name stands in the log as who did it.
    let caller = Caller(
      in: database.containerEnvironment,
      user: database.owner ?? UserID(UserID.publicOwnerName), device: nil, kind: .operator,
      requestID: host.uuid())
    let request = ModifyRecordsRequest(
      zone: database.owner == nil ? nil : ZoneID(name: zone.name),
      operations: names.map { RecordOperation(.forceDelete, RecordDraft(name: $0)) })
    let scope: DatabaseScope = database.owner == nil ? .public : .private
    for case .failure(let failure) in try await records.modify(request, in: scope, as: caller) {
      throw failure.error
    }
  }
}
