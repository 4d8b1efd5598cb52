// This reads a whole file and holds it against what was uploaded.

import BrumeModel
package import BrumeStorage

/// Checks the bytes of one file.
package enum AssetInspection {
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
