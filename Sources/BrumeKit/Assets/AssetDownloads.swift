// Fetching the files of fetched records, before the app gets the record. A file that is here
// already is not fetched again.

import BrumeClient
import BrumeModel
import Foundation

extension CKOperation {
  /// Fetches a record once more, with one field; nil: it is not there.
  typealias FetchAgain = (CKRecord.FieldKey) async throws -> CKRecord?

  /// The record with its files, or the failure that says which one is missing.
  ///
  /// - Parameters:
  ///   - progress: the part of the bytes that has arrived, from 0 to 1.
  ///   - again: fetches the record once more, with one field; nil: from the operation's database.
  final func withFiles(
    _ result: Result<CKRecord, any Error>, from viewpoint: Viewpoint,
    progress: (Double) async -> Void = { _ in }, again: FetchAgain? = nil
  ) async throws -> Result<CKRecord, any Error> {
    guard case .success(let record) = result else { return result }
    let wanted = record.assetsBySpot.filter { $0.value.fileURL == nil }
    guard !wanted.isEmpty else { return result }
    let again = again ?? { try await self.fetch(record.recordID, with: $0, viewpoint) }
    let total = wanted.values.reduce(Int64(0)) { $0 + ($1.stored?.size ?? 0) }
    var done: Int64 = 0
    var fetched: [AssetSpot: CKAsset] = [:]
    for (spot, asset) in wanted {
      guard let stored = asset.stored, let address = stored.downloadURL else { continue }
      do {
        let url = try await file(of: stored, in: spot, of: record, at: address, viewpoint, again) {
          done += $0
          await progress(total > 0 ? min(1, Double(done) / Double(total)) : 1)
        }
        fetched[spot] = CKAsset(stored: stored, fileURL: url)
      } catch let error as CKError {
        guard !error.isAboutTheUser else { throw error }
        // A time that is over is the operation's, not this record's.
        try checkTime()
        return .failure(Self.failure(error, spot, record))
      }
    }
    record.replaceAssets(fetched)
    return .success(record)
  }

  /// The file of a place. The address that came with the record may have expired by now, as on a machine that slept
  /// meanwhile: then it is asked for once more.
  private func file(
    of asset: Asset, in spot: AssetSpot, of record: CKRecord, at address: String,
    _ viewpoint: Viewpoint, _ again: FetchAgain, arrived: (Int64) async -> Void
  ) async throws -> URL {
    // Programs of several devices and users may share the folder, and each owner is `__defaultOwner__` to himself.
    let holder = [record.contents.me ?? ""] + spot.names(in: record.recordID)
    var counted: Int64 = 0
    do {
      return try await file(of: asset, for: holder, at: address, from: viewpoint) {
        counted += $0
        await arrived($0)
      }
    } catch let refusal as CKError where refusal.code == .permissionFailure {
      let present = try await again(spot.key)?.assetsBySpot[spot]?.stored
      // The record may have another file in that place by now, or none.
      guard present?.fileChecksum == asset.fileChecksum, let new = present?.downloadURL
      else { throw refusal }
      // What came before the address expired comes once more.
      var known = counted
      return try await file(of: asset, for: holder, at: new, from: viewpoint) { count in
        let repeated = min(known, count)
        known -= repeated
        if count > repeated { await arrived(count - repeated) }
      }
    }
  }

  private func fetch(
    _ record: CKRecord.ID, with key: CKRecord.FieldKey, _ viewpoint: Viewpoint
  ) async throws -> CKRecord? {
    guard let database = (self as? CKDatabaseOperation)?.effectiveDatabase else { return nil }
    let question = LookupRecordsRequest(
      items: [.init(name: record.recordName, zone: ZoneID(record.zoneID))], desiredKeys: [key])
    let answers = try await request(from: viewpoint) {
      try await database.caller.lookupRecords(question)
    }
    return try? recordResult(answers.first, record, from: viewpoint).get()
  }

  private func file(
    of asset: Asset, for holder: [String], at address: String, from viewpoint: Viewpoint,
    arrived: (Int64) async -> Void
  ) async throws -> URL {
    let session = session
    let settings = try? session.configuration.get()
    let cache = AssetCache(
      in: settings?.assetDirectory, stateDirectory: settings?.stateDirectory)
    let device = settings.flatMap { $0.isDeviceMadeUp ? nil : $0.deviceID?.name }
    let database = [
      device ?? "", settings?.container.name ?? "", settings?.environment.rawValue ?? "",
      viewpoint.scope.rawValue,
    ]
    return try await request(from: viewpoint) {
      try await cache.file(
        of: asset, for: database + holder, now: session.host.now, uuid: session.host.uuid
      ) { take in
        try await session.download(address) { piece in
          try checkTime()
          try await take(piece)
          await arrived(Int64(piece.count))
        }
      }
    }
  }

  /// A file that the server lacks is not available (case FET-10). What is refused under an address that has expired is
  /// there: it comes with the record when that is fetched again.
  private static func failure(
    _ error: CKError, _ spot: AssetSpot, _ record: CKRecord
  ) -> CKError {
    let code: CKError.Code
    switch error.code {
    case .unknownItem, .assetNotAvailable: code = .assetNotAvailable
    case .permissionFailure: code = .serverResponseLost
    default: return error
    }
    return CKError(
      code,
      "the file in field '\(spot.key)' of record '\(record.recordID.recordName)' cannot be "
        + "fetched: \(error.localizedDescription)")
  }
}

extension AssetSpot {
  /// What distinguishes it from other places, in whichever record.
  fileprivate func names(in record: CKRecord.ID) -> [String] {
    [
      record.zoneID.ownerName, record.zoneID.zoneName, record.recordName, key,
      index.map { "\($0)" } ?? "",
    ]
  }
}

extension CKError {
  /// Whether it ends the operation, whose answers are for nobody any more, rather than say something
  /// about one file (case ACC-07).
  fileprivate var isAboutTheUser: Bool {
    switch code {
    case .notAuthenticated, .accountTemporarilyUnavailable, .operationCancelled: true
    default: false
    }
  }
}
