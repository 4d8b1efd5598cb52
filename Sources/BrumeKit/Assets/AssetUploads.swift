// Sending the files of records before the records themselves, but none that the server's record holds
// already. What is wrong with a file is its record's failure; what is wrong with the connection is the
// operation's.

import BrumeClient
import BrumeModel
import Foundation

/// What a save takes for a file, and when it was asked for: servers take it for an hour.
struct UploadedAsset: Sendable {
  let asset: Asset
  let begun: Date
}

extension CKDatabaseOperation {
  /// Uploads the files of one record.
  ///
  /// - Parameters:
  ///   - contents: what is saved of the record.
  ///   - known: what was uploaded before, and is part of the answer.
  ///   - progress: the part of the bytes that was sent, from 0 to 1.
  final func uploadFiles(
    of record: CKRecord, _ contents: CKRecord.Contents, _ policy: SavePolicy,
    beside known: [AssetSpot: UploadedAsset], from viewpoint: Viewpoint,
    progress: (Double) async -> Void
  ) async throws -> Result<[AssetSpot: UploadedAsset], CKError> {
    let all = contents.filesToSend(policy).filter { known[$0.key] == nil }
    let imports = contents.filesToImport.filter { known[$0.key] == nil }
    do {
      let begun = session.host.now()
      var named = try await copies(imports, of: record, from: viewpoint)
      let ofServer = contents.filesOfServer(among: all)
      named.merge(try await held(ofServer, of: record, from: viewpoint)) { first, _ in first }
      let files = all.filter { named[$0.key] == nil }.sorted { $0.key < $1.key }
      let sent = try await upload(files, of: record, from: viewpoint, progress: progress)
      return .success(
        known.merging(named.mapValues { UploadedAsset(asset: $0, begun: begun) }) { $1 }
          .merging(sent) { $1 })
    } catch let failure as OutgoingFile.Failure {
      return .failure(CKError(failure))
    } catch let error as CKError where error.isAboutTheFile {
      return .failure(error)
    }
  }

  /// What a save takes for the files that the server copies.
  private func copies(
    _ files: [AssetSpot: CKAsset.ExportedAssetID], of record: CKRecord, from viewpoint: Viewpoint
  ) async throws -> [AssetSpot: Asset] {
    let files = files.sorted { $0.key < $1.key }
    var copies: [AssetSpot: Asset] = [:]
    let database = effectiveDatabase
    for part in files.pieces(of: Limits.apple.operationsPerRequest) {
      let question = AssetImportRequest(
        zone: ZoneID(record.recordID.zoneID),
        assets: part.map { spot, id in
          .init(
            field: AssetField(recordName: record.recordID.recordName, fieldName: spot.key),
            exported: id.text)
        })
      let answers = try await request(from: viewpoint) {
        try await database.caller.importAssets(question)
      }
      for (index, (spot, _)) in part.enumerated() {
        guard let answer = answers[ifThere: index] else {
          throw CKError.missingAnswer(for: "field '\(spot.key)'")
        }
        do { copies[spot] = try answer.get() } catch {
          throw CKError(converting: error.error, from: viewpoint)
        }
      }
    }
    return copies
  }

  /// What a save takes for the files that the server's record holds still. Any others are uploaded.
  private func held(
    _ files: [(spot: AssetSpot, asset: Asset)], of record: CKRecord, from viewpoint: Viewpoint
  ) async throws -> [AssetSpot: Asset] {
    var held: [AssetSpot: Asset] = [:]
    let database = effectiveDatabase
    for part in files.pieces(of: Limits.apple.operationsPerRequest) {
      let question = AssetRereferenceRequest(
        zone: ZoneID(record.recordID.zoneID),
        assets: part.map {
          AssetField(recordName: record.recordID.recordName, fieldName: $0.spot.key)
        })
      do {
        let answers = try await request(from: viewpoint) {
          try await database.caller.rereferenceAssets(question)
        }
        for (file, answer) in zip(part, answers) {
          guard let asset = try? answer.get(), asset.size == file.asset.size,
            asset.fileChecksum == file.asset.fileChecksum
          else { continue }
          held[file.spot] = asset
        }
      } catch let error as CKError where error.isAboutTheFile { continue }
    }
    return held
  }
}

extension CKError {
  /// What is wrong with a local file (case FET-09).
  init(_ failure: OutgoingFile.Failure) {
    switch failure {
    case .missing(let path):
      self.init(
        .assetFileNotFound,
        "there is no readable file at '\(path)'; save the record again when "
          + "there is")
    case .changed(let path):
      self.init(
        .assetFileModified,
        "'\(path)' changed while it was being sent; save the record again when "
          + "it rests")
    }
  }

  /// Concerns one record and leaves the others alone.
  fileprivate var isAboutTheFile: Bool {
    switch code {
    case .assetFileNotFound, .assetFileModified, .assetNotAvailable, .unknownItem, .limitExceeded,
      .invalidArguments, .permissionFailure, .zoneNotFound, .userDeletedZone, .quotaExceeded:
      true
    default: false
    }
  }
}
