// Assets' books in memory. Who holds a file is read from the records themselves.

import BrumeModel

extension MemoryTransaction {
  func assetFile(_ checksum: String) throws -> AssetFile? { state.assetFiles[ByteText(checksum)] }

  func assetFiles(after checksum: String, limit: Int) throws -> [AssetFile] {
    let after = ByteText(checksum)
    return state.assetFiles.filter { $0.key > after }.sorted { $0.key < $1.key }
      .prefix(limit).map(\.value)
  }

  func idleAssetFiles(since time: Milliseconds, limit: Int) throws -> [AssetFile] {
    let idle = state.assetFiles.filter { $0.value.idleSince.map { $0 <= time } ?? false }
    return idle.sorted { ($0.value.idleSince ?? 0, $0.key) < ($1.value.idleSince ?? 0, $1.key) }
      .prefix(limit).map(\.value)
  }

  func isAssetFileNeeded(_ checksum: String) throws -> Bool {
    if state.assetUploads.values.contains(where: { $0.checksum == checksum }) { return true }
    return state.databases.values.contains { database in
      database.zones.values.contains { zone in
        zone.records.values.contains { $0.record.assetChecksums.contains(checksum) }
      }
    }
  }

  func assetUpload(_ id: String) throws -> AssetUpload? { state.assetUploads[ByteText(id)] }

  func assetUploads(begunBy time: Milliseconds, limit: Int) throws -> [AssetUpload] {
    state.assetUploads.filter { $0.value.began <= time }
      .sorted { ($0.value.began, $0.key) < ($1.value.began, $1.key) }
      .prefix(limit).map(\.value)
  }

  func discardedAssetObjects(limit: Int) throws -> [String] {
    state.discardedAssetObjects.sorted().prefix(limit).map(\.text)
  }

  func put(_ file: AssetFile) throws {
    requireScope(.server)
    state.assetFiles[ByteText(file.checksum)] = file
  }

  func removeAssetFile(_ checksum: String) throws {
    requireScope(.server)
    state.assetFiles[ByteText(checksum)] = nil
  }

  func put(_ upload: AssetUpload) throws {
    requireScope(.server)
    state.assetUploads[ByteText(upload.id)] = upload
  }

  func removeAssetUpload(_ id: String) throws {
    requireScope(.server)
    state.assetUploads[ByteText(id)] = nil
  }

  func discardAssetObject(_ name: String) throws {
    requireScope(.server)
    state.discardedAssetObjects.insert(ByteText(name))
  }

  func forgetAssetObject(_ name: String) throws {
    requireScope(.server)
    state.discardedAssetObjects.remove(ByteText(name))
  }

  /// A record changed or went: what it held and holds no more is for the sweeper to look at.
  func assetsLetGo(from old: Record?, to new: Record?) {
    guard let old else { return }
    let gone = old.assetChecksums.subtracting(new?.assetChecksums ?? [])
    for checksum in gone { state.assetFiles[ByteText(checksum)]?.idleSince = 0 }
  }
}
