// One record on its way: what the target is to save, or nothing if it holds the same already.

import BrumeClient
import BrumeCore
import BrumeModel
import Foundation

/// A record that does not come over, and why.
struct RefusedRecord {
  let name: String
  let type: String
  let zone: SourceZone
  let reason: String
  /// It may come over later.
  var isPassing = false
  /// What is wrong is with a record that it needs.
  var isAboutAnother = false

  var sentence: String { "record '\(name)' of type '\(type)' in zone '\(zone.name)': \(reason)" }
}

struct RecordCopy {
  let record: Record
  /// What the target has under the name.
  let stored: Record?
  private(set) var files = 0

  init(_ record: Record, over stored: Record?) { (self.record, self.stored) = (record, stored) }

  /// - Returns: nil if the target's record is equal.
  mutating func draft(
    _ source: SourceServer, _ target: inout ImportTarget
  ) async throws -> RecordDraft? {
    var draft = RecordDraft(name: record.name, type: record.type)
    draft.parent = record.parent.map { .set(Reference(recordName: $0)) } ?? .cleared
    for (name, value) in record.fields {
      draft.fields[name] = DraftField(
        try await moved(value, name, source, &target),
        isEncrypted: record.encryptedFields.contains(name))
    }
    return isSame(draft) ? nil : draft
  }

  private func isSame(_ draft: RecordDraft) -> Bool {
    guard let stored, stored.type == record.type, stored.parent == record.parent,
      stored.encryptedFields == record.encryptedFields
    else { return false }
    return draft.fields.compactMapValues { $0.value?.plain(in: record.zone.name) }
      == stored.fields.mapValues { $0.plain(in: record.zone.name) }
  }

  private mutating func moved(
    _ value: FieldValue, _ field: String, at position: Int = 0, _ source: SourceServer,
    _ target: inout ImportTarget
  ) async throws -> FieldValue {
    switch value {
    case .asset(let asset):
      let place = SentFiles.Place(record: record.id, field: field, position: position)
      return .asset(try await moved(asset, place, source, &target))
    case .list(let values, of: .asset):
      var all: [FieldValue] = []
      for (position, value) in values.enumerated() {
        all.append(try await moved(value, field, at: position, source, &target))
      }
      return .list(all, of: .asset)
    case .reference, .list: return value.plain(in: record.zone.name)
    case .string, .int64, .double, .bytes, .timestamp, .location: return value
    }
  }

  /// The file as the target takes it: what the field holds there already, what was sent before, or a new upload.
  private mutating func moved(
    _ asset: Asset, _ place: SentFiles.Place, _ source: SourceServer, _ target: inout ImportTarget
  ) async throws -> Asset {
    if let known = known(asset.fileChecksum, in: place.field), known.size == asset.size {
      return known
    }
    if let sent = target.sent.asset(at: place, of: asset) { return sent }
    guard let address = asset.downloadURL else {
      throw BrumeError(
        .badRequest, "the source gives no address for the file of field '\(place.field)'")
    }
    let file = try TemporaryFile.open()
    try await source.download(address, to: file)
    files += 1
    // The source may compute checksums in another way.
    if stored?.fields[place.field] != nil,
      let known = known(try Self.checksum(of: file), in: place.field)
    {
      return known
    }
    return try await target.upload(file, of: asset, for: record, at: place)
  }

  /// The file of the target's record.
  private func known(_ checksum: String, in field: String) -> Asset? {
    stored?.fields[field]?.files.first { $0.fileChecksum == checksum }.map {
      Asset(fileChecksum: $0.fileChecksum, size: $0.size)
    }
  }

  /// As the target computes it.
  private static func checksum(of file: FileHandle) throws -> String {
    try file.seek(toOffset: 0)
    var meter = AssetMeter(limit: .max)
    while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty {
      try meter.take(Array(piece)[...])
    }
    return AssetMeter.checksum(meter.finished())
  }
}

extension FieldValue {
  /// Without what differs from server to server: owners of zones, receipts and addresses of files.
  fileprivate func plain(in zone: String) -> FieldValue {
    switch self {
    case .reference(var reference):
      let name = reference.zone?.name ?? zone
      reference.zone = name == zone ? nil : ZoneID(name: name)
      return .reference(reference)
    case .asset(let asset):
      return .asset(Asset(fileChecksum: asset.fileChecksum, size: asset.size))
    case .list(let values, let type): return .list(values.map { $0.plain(in: zone) }, of: type)
    case .string, .int64, .double, .bytes, .timestamp, .location: return self
    }
  }

  /// The files that the field holds.
  var files: [Asset] {
    switch self {
    case .asset(let asset): [asset]
    case .list(let values, of: .asset): values.flatMap(\.files)
    case .string, .int64, .double, .bytes, .timestamp, .location, .reference, .list: []
    }
  }
}
