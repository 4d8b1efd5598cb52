// Saves the records of an export, page by page. A record may refer to one that comes later in the file: what is
// refused waits until everything else is there, and is tried again as long as that helps. Files are sent only for
// records whose parent is there.

import BrumeClient
import BrumeModel
import BrumeWire
import Foundation

struct RecordImport {
  private let connection: ServerConnection
  private let user: String
  /// The record name that the owner had, which references to own zones may carry.
  private let owner: String?
  private(set) var zones = 0
  private(set) var saved = 0
  private var zone = ZoneID.defaultName
  private var waiting: [Record] = []
  /// Ours: bytes of one request, about half of what a server takes at least. A record alone may have more.
  private static let requestBytes = 8 << 20
  private var refused: [RecordID: Refusal] = [:]
  private var refusals = 0
  /// Files that came, and whose records are not saved yet.
  var files: FileSpool
  private var sent = SentFiles()
  private var uploads: FileUploads
  private let progress: TerminalProgress

  private struct Refusal {
    let record: Record
    let error: BrumeError
    let position: Int
  }

  init(
    connection: ServerConnection, user: String, owner: String?, _ files: FileSpool,
    progress: TerminalProgress
  ) {
    self.connection = connection
    self.user = user
    self.owner = owner
    self.files = files
    uploads = FileUploads(connection, as: user)
    self.progress = progress
  }

  mutating func begin(_ name: String) async throws {
    try await send()
    zone = name
    zones += 1
    guard name != ZoneID.defaultName else { return }
    let answer = try await connection.post(
      "zones/create", ["user": .string(user), "zones": [["zoneName": .string(name)]]])
    if let failure = answer["zones"]?.array?.first, failure["serverErrorCode"] != nil {
      throw CommandFailure("\(name): \(Wire.error(failure).reason)")
    }
  }

  mutating func add(_ record: Record) async throws {
    // One that changed while it was exported is there once more, and the later line counts.
    if waiting.contains(where: { $0.name == record.name }) { try await send() }
    // Also where the earlier one waits for another record.
    if let old = refused.removeValue(forKey: record.id) { try count(old.record) }
    waiting.append(record)
    if waiting.count == Limits.apple.operationsPerRequest { try await send() }
  }

  /// - Throws: what the server says of the first record that cannot be saved.
  mutating func finish() async throws {
    try await send()
    while !refused.isEmpty {
      let before = refused.count
      let again = refused.values.sorted { $0.position < $1.position }
      refused = [:]
      for record in again.map(\.record) {
        if record.zone.name != zone || waiting.count == Limits.apple.operationsPerRequest {
          try await send()
          zone = record.zone.name
        }
        waiting.append(record)
      }
      try await send()
      if refused.count == before { throw failure() }
    }
  }

  private func failure() -> CommandFailure {
    let all = refused.values.sorted { $0.position < $1.position }
    // One that waits for another says less.
    let first = all.first { !$0.error.isAboutAnother } ?? all.first
    let example = first.map {
      "; \($0.record.name) of zone \($0.record.zone.name): \($0.error.reason)"
    }
    return CommandFailure("\(all.count) records are refused" + (example ?? ""))
  }

  private mutating func refuse(_ record: Record, _ error: BrumeError) {
    refused[record.id] = Refusal(record: record, error: error, position: refusals)
    refusals += 1
  }

  /// A record is saved, or a later line of the file has it.
  private mutating func count(_ record: Record) throws {
    saved += 1
    try files.drop(filesOf: record)
  }

  private mutating func send() async throws {
    let records = waiting
    waiting = []
    for part in FileLoad.parts(of: records) { try await send(part) }
  }

  private mutating func send(_ records: [Record]) async throws {
    let found = try await ReadyRecords.among(records) { names in
      try await connection.post(
        "records/lookup",
        asUser(LookupRecordsRequest(names, in: zone, desiredKeys: []).json))
    }
    for (record, needs) in found.early {
      refuse(record, ReadyRecords.missing(needs))
    }
    sent.forgetOld(now: .now)
    var batch = Batch()
    for record in found.ready {
      guard sent.hasRoom(for: record) else {
        refuse(record, SentFiles.full)
        continue
      }
      let operation = RecordOperation(.forceReplace, try await draft(of: record))
      let size = request([operation]).bytes().count
      if !batch.records.isEmpty, batch.bytes + size > Self.requestBytes {
        try await save(batch.records[...], batch.operations[...])
        batch = Batch()
      }
      batch.add(record, operation, size)
    }
    if !batch.records.isEmpty { try await save(batch.records[...], batch.operations[...]) }
  }

  /// What goes in one request.
  private struct Batch {
    var records: [Record] = []
    var operations: [RecordOperation] = []
    var bytes = 0

    mutating func add(_ record: Record, _ operation: RecordOperation, _ size: Int) {
      records.append(record)
      operations.append(operation)
      bytes += size
    }
  }

  private func request(_ operations: [RecordOperation]) -> JSON {
    ModifyRecordsRequest(zone: ZoneID(name: zone), operations: operations).json
  }

  private func asUser(_ request: JSON) -> JSON {
    var body = request.object ?? JSONObject()
    body["user"] = .string(user)
    return .object(body)
  }

  private mutating func save(
    _ records: ArraySlice<Record>, _ operations: ArraySlice<RecordOperation>
  ) async throws {
    guard let answers = try await answers(to: Array(operations)) else {
      let half = records.count / 2
      try await save(records.prefix(half), operations.prefix(half))
      return try await save(records.dropFirst(half), operations.dropFirst(half))
    }
    for (record, answer) in zip(records, answers) {
      if answer["serverErrorCode"] == nil {
        try count(record)
        sent.forget(record.id)
      } else {
        refuse(record, Wire.error(answer))
      }
    }
  }

  /// Nil: they are too much for one request, such as more words than it may have.
  private func answers(to operations: [RecordOperation]) async throws -> [JSON]? {
    do {
      let answer = try await connection.send(
        "records/modify", asUser(request(operations)), within: ServerConnection.patience)
      return answer["records"]?.array ?? []
    } catch let error as BrumeError {
      if error.code == .limitExceeded, operations.count > 1 { return nil }
      throw CommandFailure(error.reason, error.exitStatus)
    } catch let failure as CallFailure {
      throw connection.access.failure(failure, changing: true)
    }
  }

  // MARK: Records

  private mutating func draft(of record: Record) async throws -> RecordDraft {
    var draft = RecordDraft(name: record.name, type: record.type)
    draft.parent = record.parent.map { .set(Reference(recordName: $0)) } ?? .cleared
    for (name, value) in record.fields {
      draft.fields[name] = DraftField(
        try await moved(value, of: record, name),
        isEncrypted: record.encryptedFields.contains(name))
    }
    return draft
  }

  /// The value with files uploaded, and own zones named without their old owner.
  private mutating func moved(
    _ value: FieldValue, of record: Record, _ field: String, at position: Int = 0
  ) async throws -> FieldValue {
    switch value {
    case .asset(let asset):
      let place = SentFiles.Place(record: record.id, field: field, position: position)
      if let known = sent.asset(at: place, of: asset) { return .asset(known) }
      let new = try await uploaded(asset, of: record, field)
      sent.add(new, at: place, of: asset, now: .now)
      return .asset(new)
    case .reference(var reference):
      if let zone = reference.zone, zone.ownerName == owner {
        reference.zone = ZoneID(name: zone.name)
      }
      return .reference(reference)
    case .list(let values, let type):
      var all: [FieldValue] = []
      for (position, value) in values.enumerated() {
        all.append(try await moved(value, of: record, field, at: position))
      }
      return .list(all, of: type)
    case .string, .int64, .double, .bytes, .timestamp, .location: return value
    }
  }

  private mutating func uploaded(
    _ asset: Asset, of record: Record, _ field: String
  ) async throws -> Asset {
    guard let file = files.file(asset.fileChecksum) else {
      throw CommandFailure(
        "the export lacks the file of field '\(field)' of '\(record.name)'; export again")
    }
    let progress = progress
    let words = "sending a file of '\(record.name)', \(TerminalProgress.bytes(file.state.size))"
    return try await uploads.send(file, for: record, field, in: zone, .private) { sent in
      progress.show(words, sent, of: file.state.size)
    }
  }
}
