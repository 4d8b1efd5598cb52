// This counts the exchanges of the rows of assets.

import BrumeModel
import BrumeStorage

final class CountedAssets<Inner: AssetReading>: Counted<Inner>, AssetReading {
  func file(_ checksum: String) throws -> AssetFile? {
    exchanges.asks()
    return try inner.file(checksum)
  }

  func files(after checksum: String, limit: Int) throws -> [AssetFile] {
    exchanges.asks()
    return try inner.files(after: checksum, limit: limit)
  }

  func idleFiles(since time: Milliseconds, limit: Int) throws -> [AssetFile] {
    exchanges.asks()
    return try inner.idleFiles(since: time, limit: limit)
  }

  func isFileNeeded(_ checksum: String) throws -> Bool {
    exchanges.asks()
    return try inner.isFileNeeded(checksum)
  }

  func upload(_ id: String) throws -> AssetUpload? {
    exchanges.asks()
    return try inner.upload(id)
  }

  func uploads(begunBy time: Milliseconds, limit: Int) throws -> [AssetUpload] {
    exchanges.asks()
    return try inner.uploads(begunBy: time, limit: limit)
  }

  func discardedObjects(after name: String, limit: Int) throws -> [String] {
    exchanges.asks()
    return try inner.discardedObjects(after: name, limit: limit)
  }
}

extension CountedAssets: AssetWriting where Inner: AssetWriting {
  func put(_ file: AssetFile) throws {
    exchanges.writes()
    return try inner.put(file)
  }

  func removeFile(_ checksum: String) throws {
    exchanges.writes()
    return try inner.removeFile(checksum)
  }

  func put(_ upload: AssetUpload) throws {
    exchanges.writes()
    return try inner.put(upload)
  }

  func removeUpload(_ id: String) throws {
    exchanges.writes()
    return try inner.removeUpload(id)
  }

  func discardObject(_ name: String) throws {
    exchanges.writes()
    return try inner.discardObject(name)
  }

  func forgetObject(_ name: String) throws {
    exchanges.writes()
    return try inner.forgetObject(name)
  }
}
