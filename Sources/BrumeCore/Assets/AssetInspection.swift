// This reads a whole file and holds it against what was uploaded.

import BrumeModel
package import BrumeStorage

/// Checks the bytes of one file.
package enum AssetInspection {
  /// What is wrong with a file, in words; nil: nothing. A file that arrives again while it is read has another
  /// object then, which is read instead, and one that goes is not missed.
  ///
  /// - Parameter now: answers what the row says now; nil: it is gone.
  /// - Throws: what `now` throws.
  package static func finding(
    in file: AssetFile, of assets: any AssetStore, now: (AssetFile) throws -> AssetFile?
  ) async throws -> String? {
    var file = file
    while let finding = await finding(in: file, of: assets) {
      guard let latest = try now(file) else { return nil }
      if latest.object == file.object { return finding }
      file = latest
    }
    return nil
  }

  /// What is wrong with a file, in words; nil: nothing.
  package static func finding(in file: AssetFile, of assets: any AssetStore) async -> String? {
    let name = "file \(file.checksum), object \(file.object)"
    do {
      guard try await assets.size(of: file.object) == file.size else {
        return "\(name), has lost its bytes"
      }
      var meter = AssetMeter(limit: file.size)
      try await assets.read(file.object, 0..<file.size) { try meter.take($0) }
      return meter.finished() == file.digest ? nil : "\(name), is not what was uploaded"
    } catch {
      return "\(name), cannot be read (\(error))"
    }
  }
}
