import BrumeKit
import BrumeTesting
import Foundation
import Testing

/// Alice's phone and laptop, each with the app, in step: a zone, and the notes that were asked for.
struct SyncEngineFixture {
  let server: LocalServer
  let phone: NotesApp
  let laptop: NotesApp
  /// That of the phone's process that runs.
  var database: CKDatabase { server["phone"].privateCloudDatabase }

  init(notes: [String] = [], smallLimits: Bool = false) async throws {
    server = try await LocalServer(smallLimits: smallLimits)
    phone = try NotesApp(try await server.device("phone", of: "alice"))
    laptop = try NotesApp(try await server.device("laptop", of: "alice"))
    phone.makeZone()
    for name in notes { phone.write(name, to: name) }
    try await phone.engine.sendChanges()
    try await phone.engine.fetchChanges()
    try await laptop.engine.fetchChanges()
    phone.forgetEvents()
    laptop.forgetEvents()
  }

  /// What the server has in the zone of notes.
  func stored() async throws -> [String: String] {
    var found: [String: String] = [:]
    try await add(NotesApp.zoneID, to: &found)
    return found
  }

  /// What the server has in all zones that can be fetched.
  func storedInAllZones() async throws -> [String: String] {
    var found: [String: String] = [:]
    for zone in try await database.allRecordZones() where zone.zoneID != .default {
      try await add(zone.zoneID, to: &found)
    }
    return found
  }

  private func add(_ zone: CKRecordZone.ID, to found: inout [String: String]) async throws {
    var token: CKServerChangeToken?
    while true {
      let page = try await database.recordZoneChanges(inZoneWith: zone, since: token)
      for (id, result) in page.modificationResultsByID {
        found[id.recordName] = try result.get().record["text"] as? String
      }
      token = page.changeToken
      guard page.moreComing else { return }
    }
  }
}

/// What a call throws.
func failure(_ call: () async throws -> Void) async throws -> CKError {
  do { try await call() } catch { return try #require(error as? CKError, "\(error)") }
  throw CKError(.internalError)
}

extension CKError {
  /// The codes of the records of a partial failure.
  var failedItems: [CKRecord.ID: CKError.Code] {
    let errors = code == .partialFailure ? partialErrorsByItemID ?? [:] : [:]
    return Dictionary(
      uniqueKeysWithValues: errors.compactMap { key, error in
        guard let id = key as? CKRecord.ID, let error = error as? CKError else { return nil }
        return (id, error.code)
      })
  }
}

extension CKSyncEngine {
  /// One that knows nothing yet and syncs only when the test asks it to.
  convenience init(whenAsked database: CKDatabase, _ delegate: any CKSyncEngineDelegate) {
    var configuration = Configuration(
      database: database, stateSerialization: nil, delegate: delegate)
    configuration.automaticallySync = false
    self.init(configuration)
  }
}
