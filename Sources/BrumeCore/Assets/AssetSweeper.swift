// The sweeper removes what nobody needs, in three steps, each of which may be repeated after a crash: uploads
// that no save used in time lose their rows; files that nobody needed for long enough
// are struck too, and their objects listed; only then, when that is committed, objects are removed
// from the asset store and struck from the list.

import BrumeModel
import BrumeStorage

/// What a pass of the sweeper did.
package struct AssetSweepReport: Equatable, Sendable {
  /// Uploads that were struck, because no save used them in time.
  package var uploads = 0
  /// Files that were struck.
  package var files = 0
  /// Objects that were removed from the asset store.
  package var objects = 0
  package init(uploads: Int = 0, files: Int = 0, objects: Int = 0) {
    self.uploads = uploads
    self.files = files
    self.objects = objects
  }
}

/// Removes files that no record holds any more.
package struct AssetSweeper: Sendable {
  private let store: any Store
  private let assets: any AssetStore
  private let limits: Limits
  private let host: Host
  /// Ours: as many objects that cannot be removed end a pass.
  private static let mostFailures = 1000

  init(_ parts: EngineParts) {
    store = parts.store
    assets = parts.assets
    limits = parts.limits
    host = parts.host
  }

  /// One pass. It does not begin another batch once the task is cancelled.
  ///
  /// - Parameter report: gets what went, also of a pass that ends with an error.
  /// - Throws: `AssetFailure` if the asset store fails, or does not remove an object. Others go; a later pass goes on from
  ///   there.
  package func sweep(into report: inout AssetSweepReport) async throws {
    let now = host.now()
    let (rows, limits) = (limits.assetSweepRows, limits)
    try await repeatUntilFewer(than: rows) {
      let count = try await store.write(in: .server) {
        try Self.expireUploads(in: $0, begunBy: now - limits.assetReceiptLifetime, rows)
      }
      report.uploads += count
      return count
    }
    try await repeatUntilFewer(than: rows) {
      let (looked, removed) = try await store.write(in: .server) {
        try Self.judgeFiles(in: $0, now: now, limits)
      }
      report.files += removed
      return looked
    }
    try await removeObjects(rows, &report.objects)
  }

  private func repeatUntilFewer(
    than rows: Int, _ step: () async throws -> Int
  ) async throws {
    while try await step() >= rows { try Task.checkCancellation() }
  }

  private static func expireUploads(
    in transaction: any WriteTransaction, begunBy time: Milliseconds, _ rows: Int
  ) throws -> Int {
    let uploads = try transaction.assets.uploads(begunBy: time, limit: rows)
    for upload in uploads {
      try transaction.assets.removeUpload(upload.id)
      guard let checksum = upload.checksum else {
        try transaction.assets.discardObject(upload.id)
        continue
      }
      if var file = try Self.file(checksum, transaction), file.idleSince == nil {
        file.idleSince = 0
        try transaction.assets.put(file)
      }
    }
    return uploads.count
  }

  /// Nil also for one that is damaged: it stays, and the others go on.
  private static func file(
    _ checksum: String, _ transaction: any WriteTransaction
  ) throws -> AssetFile? {
    try BrumeError.unlessDamaged { try transaction.assets.file(checksum) }
  }

  private static func judgeFiles(
    in transaction: any WriteTransaction, now: Milliseconds, _ limits: Limits
  ) throws -> (looked: Int, removed: Int) {
    let grace = limits.longestAssetAddress
    let idle = try transaction.assets.idleFiles(
      since: max(0, now - grace), limit: limits.assetSweepRows)
    var removed = 0
    for var file in idle {
      let isNeeded = try transaction.assets.isFileNeeded(file.checksum)
      switch AssetSweep.decide(
        isNeeded: isNeeded, idleSince: file.idleSince ?? 0, now: now, grace: grace)
      {
      case .keep:
        file.idleSince = nil
        try transaction.assets.put(file)
      case .wait:
        file.idleSince = now
        try transaction.assets.put(file)
      case .remove:
        try transaction.assets.removeFile(file.checksum)
        try transaction.assets.discardObject(file.object)
        removed += 1
      }
    }
    return (idle.count, removed)
  }

  /// Adds to `count` those that are gone.
  private func removeObjects(_ rows: Int, _ count: inout Int) async throws {
    var last = ""
    var failures: [AssetFailure] = []
    try await repeatUntilFewer(than: rows) {
      let after = last
      let names = try await store.read {
        try $0.assets.discardedObjects(after: after, limit: rows)
      }
      guard let end = names.last else { return 0 }
      let gone = try await remove(names, &failures)
      try await store.write(in: .server) { transaction in
        for name in gone { try transaction.assets.forgetObject(name) }
      }
      count += gone.count
      last = end
      return failures.count < Self.mostFailures ? names.count : 0
    }
    if let failure = failures.first { throw failure }
  }

  /// Those that are gone. One that cannot be removed keeps no other from it.
  private func remove(
    _ names: [String], _ failures: inout [AssetFailure]
  ) async throws -> [String] {
    do {
      try await assets.remove(names)
      return names
    } catch is AssetFailure {
      // A place that does not answer at all is not asked about each.
      _ = try await assets.names(after: "", limit: 1)
    }
    var gone: [String] = []
    for name in names {
      try Task.checkCancellation()
      do {
        try await assets.remove(name)
        gone.append(name)
      } catch let failure as AssetFailure {
        failures.append(failure)
      }
    }
    return gone
  }
}
