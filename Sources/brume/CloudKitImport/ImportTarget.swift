// Our side of an import: what is there already, which files are still missing, and the saves. As an operator, under
// the name of the user.

import BrumeClient
import BrumeModel
import BrumeWire
import Foundation

struct ImportTarget {
  let scope: DatabaseScope
  private let connection: ServerConnection
  private let user: String
  private var zones: Set<String>
  private var uploads: FileUploads
  /// Files that wait for their records.
  var sent = SentFiles()

  /// Makes the account if it is missing.
  init(_ connection: ServerConnection, scope: DatabaseScope, user: String) async throws {
    (self.connection, self.scope, self.user) = (connection, scope, user)
    uploads = FileUploads(connection, as: user)
    try await connection.makeAccount(user)
    zones = [ZoneID.defaultName]
    if scope == .private { zones.formUnion(try await connection.zoneNames(of: user)) }
  }

  mutating func make(zone: String) async throws {
    guard !zones.contains(zone) else { return }
    let answer = try await ask("zones/create", ["zones": [["zoneName": .string(zone)]]])
    if let failure = answer["zones"]?.array?.first, failure["serverErrorCode"] != nil {
      throw CommandFailure("zone '\(zone)' cannot be made: \(Wire.error(failure).reason)")
    }
    zones.insert(zone)
  }

  /// The records of these names that are there, by name.
  func stored(_ names: [String], in zone: String) async throws -> [String: Record] {
    let answer = try await ask(
      "records/lookup", LookupRecordsRequest(names, in: zone).json)
    var found: [String: Record] = [:]
    for item in answer["records"]?.array ?? [] where item["serverErrorCode"] == nil {
      let record = try Record(json: item)
      found[record.name] = record
    }
    return found
  }

  /// Of the records, those that can be saved now.
  func ready(_ records: [Record], in zone: String) async throws -> ReadyRecords {
    try await ReadyRecords.among(records) { names in
      try await ask(
        "records/lookup", LookupRecordsRequest(names, in: zone, desiredKeys: []).json)
    }
  }

  /// Saves records of one zone. Answers why some were refused, in order.
  func save(_ drafts: [RecordDraft], in zone: String) async throws -> [BrumeError?] {
    let request = ModifyRecordsRequest(
      zone: ZoneID(name: zone), operations: drafts.map { RecordOperation(.forceReplace, $0) })
    let answers: [JSON]
    do {
      answers = try await ask("records/modify", request.json)["records"]?.array ?? []
    } catch let error as BrumeError where error.code == .limitExceeded && drafts.count > 1 {
      // Too much for one request, such as more words than it may have.
      let half = drafts.count / 2
      let first = try await save(Array(drafts.prefix(half)), in: zone)
      return first + (try await save(Array(drafts.dropFirst(half)), in: zone))
    }
    return drafts.indices.map { index in
      guard index < answers.count else {
        return BrumeError(.internalError, "the target did not answer about it")
      }
      return answers[index]["serverErrorCode"] == nil ? nil : Wire.error(answers[index])
    }
  }

  /// Sends a file.
  ///
  /// - Parameter original: what the source's record holds.
  mutating func upload(
    _ file: FileHandle, of original: Asset, for record: Record, at place: SentFiles.Place
  ) async throws -> Asset {
    guard sent.hasRoom(for: original) else { throw SentFiles.full }
    let outgoing = OutgoingFile(partOf: file, from: 0, size: Int64(try file.seekToEnd()))
    do {
      let asset = try await ImportRetries.retry("the target") {
        try await uploads.send(
          outgoing, for: record, place.field, in: record.zone.name, scope
        ) { _ in }
      }
      sent.add(asset, at: place, of: original, now: .now)
      return asset
    } catch let failure as CallFailure {
      throw CommandFailure("the target takes no file: \(failure.sentence)", ExitStatus(of: failure))
    }
  }

  private func ask(_ path: String, _ body: JSON) async throws -> JSON {
    var body = body.object ?? JSONObject()
    body["database"] = .string(scope.rawValue)
    body["user"] = .string(user)
    let whole = JSON.object(body)
    do {
      return try await ImportRetries.retry("the target") {
        try await connection.send(path, whole, within: ServerConnection.patience)
      }
    } catch let failure as CallFailure {
      throw CommandFailure(failure.sentence, ExitStatus(of: failure))
    }
  }
}
