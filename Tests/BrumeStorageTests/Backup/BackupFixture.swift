// Backups in memory, of any engine, and their way into a folder or a schema.

import BrumeCore
import BrumePostgres
import BrumeStorage
import BrumeTestKit

@testable import BrumeSQLite

struct BackupFixture {
  /// A backup of all rows, with the end that a transfer writes: files have no bytes in these tests.
  var bytes: [UInt8]

  init(of store: any Store, id: String = "B1") async throws {
    bytes = try await store.snapshot { source in
      var bytes: [UInt8] = []
      _ = try BackupWriter(of: source) { bytes += $0 }.run(
        id: id, made: 1_700_000_000_000)
      return bytes
    }
    try addAssets()
  }

  /// Their bytes are missing, as on a server that lost them.
  private mutating func addAssets() throws {
    var (check, frames) = (BackupCheck(read), BackupFrames(read))
    while let frame = try frames.next() { try check.take(frame) }
    var count = BackupAssetCount()
    let files = try BackupFile(check.report, read)?.rows(of: .assetFiles)
    while let file = try files?.next() {
      add(.missingAsset, Array(try file.text("object").utf8))
      count.missing += 1
    }
    add(.end, count.packed)
  }

  private mutating func add(_ kind: BackupFrame.Kind, _ content: [UInt8]) {
    bytes += BackupFrame(kind, at: Int64(bytes.count), content).bytes
  }

  var read: BackupFrames.Read {
    { [bytes] offset, count in Array(bytes.dropFirst(Int(offset)).prefix(count)) }
  }

  func check() throws -> BackupReport { try BackupCheck.run(read) }

  /// - Parameter chain: what it continues, the oldest first.
  func file(after chain: [BackupFixture] = []) throws -> BackupFile? {
    let earlier = try chain.last?.file(after: chain.dropLast())
    return BackupFile(try BackupCheck.run(read, after: earlier), read, after: earlier)
  }

  /// The same state as one that continues others.
  func continuing(_ chain: [BackupFixture]) throws -> BackupFixture {
    var increment = self
    increment.bytes = []
    guard let whole = try file(), let earlier = try chain.last?.file(after: chain.dropLast()) else {
      return self
    }
    try BackupIncrement(of: whole, continuing: earlier).run(file: "earlier") {
      increment.bytes += $0
    }
    return increment
  }

  /// Answers the hash of what was restored.
  func restore(into folder: TemporaryFolder, after chain: [BackupFixture] = []) throws -> String? {
    let file = try file(after: chain)
    return try SQLiteMoving.run(
      folder: folder.path + "/data", isNew: true, logger: Mover.logger
    ) { target in
      try file.map { try StoreMove(from: $0, to: target).run().hash }
    }
  }

  func restore(
    intoPostgres url: String, buckets: Int, after chain: [BackupFixture] = []
  ) throws -> String? {
    let target = try PostgresMoving(url: url, buckets: buckets, acceptsLoss: true)
    return try file(after: chain).map { try StoreMove(from: $0, to: target).run().hash }
  }
}
