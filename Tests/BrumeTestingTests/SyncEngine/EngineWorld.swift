import BrumeKit
import BrumeTesting
import Foundation
import Testing

/// Alice's phone and laptop, each with the app, in step: a zone, and the notes that were asked for.
struct EngineWorld {
  let server: LocalServer
  let phone: NotesApp
  let laptop: NotesApp
  let database: CKDatabase

  init(notes: [String] = []) async throws {
    server = try await LocalServer()
    let container = try await server.device("phone", of: "alice")
    phone = try NotesApp(container)
    laptop = try NotesApp(try await server.device("laptop", of: "alice"))
    database = container.privateCloudDatabase
    phone.makeZone()
    for name in notes { phone.write(name, to: name) }
    try await phone.engine.sendChanges()
    try await phone.engine.fetchChanges()
    try await laptop.engine.fetchChanges()
    phone.forgetEvents()
    laptop.forgetEvents()
  }

  /// What the server has.
  func stored() async throws -> [String: String] {
    let changes = try await database.recordZoneChanges(inZoneWith: NotesApp.zoneID, since: nil)
    var found: [String: String] = [:]
    for (id, result) in changes.modificationResultsByID {
      found[id.recordName] = try result.get().record["text"] as? String
    }
    return found
  }
}

func engineFailure(_ call: () async throws -> Void) async throws -> CKError {
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
