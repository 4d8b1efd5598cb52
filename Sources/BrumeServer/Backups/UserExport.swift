// A user's private database on its way to who has no command at hand, in the form of `brume export`, which is that of
// BrumeWire's ExportLine.swift. It is read page by page while the server goes on: a record that changes meanwhile is in
// it once more, and the later line counts. A record or a file that cannot be read breaks the transfer off.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

struct UserExport: PieceSource {
  /// Ours: what one read of the store brings.
  private static let page = (records: 200, bytes: 4 << 20)
  /// Ours: bytes of a file in one line, as the command has it.
  private static let pieceBytes = 256 << 10
  private let user: User
  private let database: DatabaseKey
  private let store: any Store
  private let downloads: AssetDownloads

  init(
    of user: User, in containerEnvironment: ContainerEnvironment, store: any Store,
    downloads: AssetDownloads
  ) {
    self.user = user
    database = DatabaseKey(in: containerEnvironment, owner: user.id)
    (self.store, self.downloads) = (store, downloads)
  }

  func read(into take: (ArraySlice<UInt8>) async throws -> Void) async throws {
    let zones = try await store.read { [database] in try $0.zones.all(in: database) }
    try await take(
      Self.line([
        "brume": "export", "version": 1, "user": .string(user.name),
        "owner": .string(user.id.name),
      ]))
    var (records, written) = (Int64(0), Set<String>())
    for zone in zones {
      try await take(Self.line(["zone": .string(zone.key.name)]))
      try await self.records(in: zone.key) { record in
        for asset in record.assets where written.insert(asset.fileChecksum).inserted {
          try await file(asset, into: take)
        }
        try await take(Self.line(record))
        records += 1
      }
    }
    try await take(Self.line(["end": true, "records": .int(records)]))
  }

  /// Shares are not among them: who takes part joins again.
  private func records(
    in zone: ZoneKey, _ take: (Record) async throws -> Void
  ) async throws {
    var after: Int64 = 0
    while true {
      let from = after
      let page = try await store.read {
        try $0.changes.page(
          in: zone, after: from, through: .max, limit: Self.page.records,
          byteLimit: Self.page.bytes, newestFirst: false)
      }
      for case .changed(let stored) in page {
        let record = try stored.record()
        if record.type != Record.shareType { try await take(record) }
      }
      guard let last = page.last else { return }
      after = last.sequence
    }
  }

  private func file(
    _ asset: Asset, into take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws {
    guard let file = try await store.read({ try $0.assets.file(asset.fileChecksum) }) else {
      throw BrumeError(.assetNotAvailable, "the file of an asset is not there")
    }
    try await take(Self.line(["file": .string(asset.fileChecksum), "size": .int(file.size)]))
    try await downloads.read(file, 0..<file.size) { data in
      var rest = data
      while !rest.isEmpty {
        try await take(
          Self.line(["data": .string(Base64.text(Array(rest.prefix(Self.pieceBytes))))]))
        rest = rest.dropFirst(Self.pieceBytes)
      }
    }
  }

  private static func line(_ json: JSON) -> ArraySlice<UInt8> {
    (json.bytes() + [UInt8(ascii: "\n")])[...]
  }

  private static func line(_ record: Record) -> ArraySlice<UInt8> {
    var writer = JSONWriter(capacity: 1024)
    writer.beginObject()
    writer.name("record")
    writer.record(record, RecordOptions())
    writer.endObject()
    return (writer.bytes + [UInt8(ascii: "\n")])[...]
  }
}
