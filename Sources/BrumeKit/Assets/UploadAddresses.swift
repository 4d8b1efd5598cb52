// Sending the files of one record: addresses for all of them, then file after file. The addresses are good for some
// minutes, so that those which have waited for their turn are asked for again.

import BrumeClient
import BrumeModel
import Foundation

/// Addresses to send files to, as the server gave them together.
private struct UploadAddresses {
  /// Ours: servers give them for 15 minutes.
  private static let seconds = 600.0
  private var known: [AssetSpot: String] = [:]
  private var asked = Date.distantPast

  init() {}

  init(_ answers: [AssetUploadTicket], for spots: [AssetSpot], asked: Date) {
    known = Dictionary(uniqueKeysWithValues: zip(spots, answers.map(\.ticket)))
    self.asked = asked
  }

  subscript(spot: AssetSpot) -> String? { known[spot] }

  /// Whether there is one that has not waited so long for its file that it may have expired.
  func isFresh(for spot: AssetSpot, now: Date) -> Bool {
    known[spot] != nil && now.timeIntervalSince(asked) <= Self.seconds
  }
}

extension CKDatabaseOperation {
  /// Sends files, one after the other.
  final func upload(
    _ files: [(key: AssetSpot, value: URL)], of record: CKRecord, from viewpoint: Viewpoint,
    progress: (Double) async -> Void
  ) async throws -> [AssetSpot: UploadedAsset] {
    let total = try files.reduce(Int64(0)) { try $0 + OutgoingFile($1.value).state.size }
    var done: Int64 = 0
    var addresses = UploadAddresses()
    var uploaded: [AssetSpot: UploadedAsset] = [:]
    for (index, (spot, url)) in files.enumerated() {
      let file = try OutgoingFile(url)
      let left = files[index...].prefix(Limits.apple.operationsPerRequest).map(\.key)
      uploaded[spot] = try await request(from: viewpoint) {
        try await send(file, of: record, firstOf: left, &addresses) { sent in
          await progress(total > 0 ? Double(done + sent) / Double(total) : 1)
        }
      }
      done += file.state.size
    }
    return uploaded
  }

  /// Sends a file to its address. If the server refuses that, it may have expired on the way: the clocks may not agree, and
  /// the machine may have slept. Then the file goes to a new one.
  private func send(
    _ file: OutgoingFile, of record: CKRecord, firstOf spots: [AssetSpot],
    _ addresses: inout UploadAddresses, progress: (Int64) async -> Void
  ) async throws -> UploadedAsset {
    if !addresses.isFresh(for: spots[0], now: session.host.now()) {
      addresses = try await self.addresses(for: spots, of: record)
    }
    do {
      return try await send(file, to: spots[0], addresses, progress: progress)
    } catch let error as BrumeError where error.code == .accessDenied {
      addresses = try await self.addresses(for: spots, of: record)
      return try await send(file, to: spots[0], addresses, progress: progress)
    }
  }

  private func send(
    _ file: OutgoingFile, to spot: AssetSpot, _ addresses: UploadAddresses,
    progress: (Int64) async -> Void
  ) async throws -> UploadedAsset {
    let begun = session.host.now()
    guard let address = addresses[spot] else {
      throw CKError.missingAnswer(for: "field '\(spot.key)'")
    }
    let asset = try await session.upload(file, to: address, progress: progress)
    return UploadedAsset(asset: asset, begun: begun)
  }

  /// Part of a request that may be repeated.
  private func addresses(
    for spots: [AssetSpot], of record: CKRecord
  ) async throws -> UploadAddresses {
    let asked = session.host.now()
    let question = AssetUploadRequest(
      zone: ZoneID(record.recordID.zoneID),
      files: spots.map {
        .init(
          recordType: record.recordType, fieldName: $0.key, recordName: record.recordID.recordName)
      })
    let answers = try await effectiveDatabase.caller.uploadAddresses(question)
    return UploadAddresses(answers, for: spots, asked: asked)
  }
}
