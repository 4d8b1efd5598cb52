// One device of one user, as an app sees it: a container, its databases, and the few calls that
// every test makes.

import BrumeKit
import Foundation

struct Device: Sendable {
  let container: CKContainer
  var database: CKDatabase { container.privateCloudDatabase }
  var shared: CKDatabase { container.sharedCloudDatabase }
  var everybodys: CKDatabase { container.publicCloudDatabase }

  init(_ container: CKContainer) { self.container = container }

  // MARK: Zones and records

  @discardableResult
  func makeZone(_ name: String) async throws -> CKRecordZone {
    try await database.save(CKRecordZone(zoneName: name))
  }

  /// A record in a zone; nil is the default zone.
  func record(
    _ name: String, zone: String? = "Z", type: String = "Note",
    _ fields: [String: any CKRecordValueProtocol] = [:]
  ) -> CKRecord {
    let record = CKRecord(recordType: type, recordID: .named(name, zone: zone))
    for (key, value) in fields { record[key] = value }
    return record
  }

  @discardableResult
  func save(
    _ name: String, zone: String? = "Z", type: String = "Note",
    _ fields: [String: any CKRecordValueProtocol] = [:]
  ) async throws -> CKRecord {
    try await database.save(record(name, zone: zone, type: type, fields))
  }

  @discardableResult
  func fetch(_ name: String, zone: String? = "Z") async throws -> CKRecord {
    try await database.record(for: .named(name, zone: zone))
  }

  // MARK: Changes

  /// Everything that changed in a zone, in one sum.
  func changes(
    in zone: CKRecordZone.ID = .named("Z"), since token: CKServerChangeToken? = nil,
    of database: CKDatabase? = nil
  ) async throws -> ZoneChanges {
    var all = ZoneChanges(token: token)
    while true {
      let page = try await (database ?? self.database).recordZoneChanges(
        inZoneWith: zone, since: all.token)
      for result in page.modificationResultsByID.values {
        all.changed.append(try result.get().record)
      }
      all.deleted += page.deletions
      all.token = page.changeToken
      if !page.moreComing { return all }
    }
  }

  // MARK: Operations

  /// Runs an operation to its end.
  func run(_ operation: CKDatabaseOperation, on database: CKDatabase? = nil) async {
    await withCheckedContinuation { done in
      operation.completionBlock = { done.resume() }
      (database ?? self.database).add(operation)
    }
  }

  func run(_ operation: CKOperation) async {
    await withCheckedContinuation { done in
      operation.completionBlock = { done.resume() }
      container.add(operation)
    }
  }
}

/// What a fetch of a zone brought.
struct ZoneChanges {
  var changed: [CKRecord] = []
  var deleted: [CKDatabase.RecordZoneChange.Deletion] = []
  var token: CKServerChangeToken?

  init(token: CKServerChangeToken?) { self.token = token }

  /// "+name" for each change, "-name" for each deletion, in alphabetical order.
  var summary: [String] {
    (changed.map { "+\($0.recordID.recordName)" } + deleted.map { "-\($0.recordID.recordName)" })
      .sorted()
  }
}

extension CKRecordZone.ID {
  static func named(_ name: String) -> CKRecordZone.ID { CKRecordZone.ID(zoneName: name) }
}

extension CKRecord.ID {
  static func named(_ name: String, zone: String? = "Z") -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zone.map { .named($0) } ?? .default)
  }
}
