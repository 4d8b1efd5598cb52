// The rows of assets in memory. Who holds a file is read from the records themselves.

import BrumeModel

final class MemoryAssets: MemoryFeature, AssetWriting {
  func file(_ checksum: String) throws -> AssetFile? { draft.state.assetFiles[ByteText(checksum)] }

  func files(after checksum: String, limit: Int) throws -> [AssetFile] {
    let after = ByteText(checksum)
    return draft.state.assetFiles.filter { $0.key > after }.sorted { $0.key < $1.key }
      .prefix(limit).map(\.value)
  }

  func idleFiles(since time: Milliseconds, limit: Int) throws -> [AssetFile] {
    let idle = draft.state.assetFiles.filter { $0.value.idleSince.map { $0 <= time } ?? false }
    return idle.sorted { ($0.value.idleSince ?? 0, $0.key) < ($1.value.idleSince ?? 0, $1.key) }
      .prefix(limit).map(\.value)
  }

  func isFileNeeded(_ checksum: String) throws -> Bool {
    if draft.state.assetUploads.values.contains(where: { $0.checksum == checksum }) { return true }
    return draft.state.databases.values.contains { database in
      database.zones.values.contains { zone in
        zone.records.values.contains { $0.record.assetChecksums.contains(checksum) }
      }
    }
  }

  func upload(_ id: String) throws -> AssetUpload? { draft.state.assetUploads[ByteText(id)] }

  func uploads(begunBy time: Milliseconds, limit: Int) throws -> [AssetUpload] {
    draft.state.assetUploads.filter { $0.value.began <= time }
      .sorted { ($0.value.began, $0.key) < ($1.value.began, $1.key) }
      .prefix(limit).map(\.value)
  }

  func discardedObjects(after name: String, limit: Int) throws -> [String] {
    let after = ByteText(name)
    return draft.state.discardedAssetObjects.filter { $0 > after }.sorted().prefix(limit)
      .map(\.text)
  }

  func put(_ file: AssetFile) throws {
    draft.requireScope(.server)
    draft.state.assetFiles[ByteText(file.checksum)] = file
  }

  func removeFile(_ checksum: String) throws {
    draft.requireScope(.server)
    draft.state.assetFiles[ByteText(checksum)] = nil
  }

  func put(_ upload: AssetUpload) throws {
    draft.requireScope(.server)
    draft.state.assetUploads[ByteText(upload.id)] = upload
  }

  func removeUpload(_ id: String) throws {
    draft.requireScope(.server)
    draft.state.assetUploads[ByteText(id)] = nil
  }

  func discardObject(_ name: String) throws {
    draft.requireScope(.server)
    draft.state.discardedAssetObjects.insert(ByteText(name))
  }

  func forgetObject(_ name: String) throws {
    draft.requireScope(.server)
    draft.state.discardedAssetObjects.remove(ByteText(name))
  }

  /// A record changed or went: what it held and holds no more is for the sweeper to look at.
  func letGo(from old: Record?, to new: Record?) {
    guard let old else { return }
    let gone = old.assetChecksums.subtracting(new?.assetChecksums ?? [])
    for checksum in gone { draft.state.assetFiles[ByteText(checksum)]?.idleSince = 0 }
  }
}
