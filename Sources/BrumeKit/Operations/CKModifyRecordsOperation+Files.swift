// The files of all records go before the one request that saves them. What the server answers for a file is good for
// an hour: what has waited too long for the others is sent again. A server may have another mind about the hour, and say so of
// the records: then they go once more with their files.

import BrumeClient
import BrumeModel
import Foundation

extension CKModifyRecordsOperation {
  /// Ours: how old it may be when its record goes. Ten minutes are for that request.
  private static let uploadSeconds = 3_000.0
  /// Ours: how often files are sent before all of them are there at once.
  private static let attempts = 3

  /// The plan with the files of its records on the server.
  func sendingFiles(
    of saves: [CKRecord], _ contents: [CKRecord.Contents], _ plan: ModifyPlan,
    from viewpoint: Viewpoint
  ) async throws -> ModifyPlan {
    var plan = plan
    for _ in 0..<Self.attempts {
      for (index, (record, contents)) in zip(saves, contents).enumerated() {
        // Looked at each time: a file that failed may have taken the whole zone with it.
        guard needsFiles(index, record, contents), plan.isSent(index) else { continue }
        let fresh = (uploads[index] ?? [:]).filter { !isTooOld($0.value) }
        let uploaded = try await uploadFiles(
          of: record, contents, policy(for: record), beside: fresh, from: viewpoint
        ) { await self.report($0, of: record, at: index) }
        uploads[index] = try? uploaded.get()
        plan.send(uploaded.map { $0.mapValues(\.asset) }, with: index)
      }
      let sent = plan.sent().map(\.position)
      if !sent.contains(where: uploadsMayHaveExpired) { return plan }
    }
    throw CKError.uploadsExpired
  }

  /// The items whose files the server has forgotten, or so it seems, and what failed with them. Their files, and what
  /// was sent before these, are to be sent again.
  func forgotten(_ failures: [Int: BrumeError], of plan: ModifyPlan) -> Set<Int> {
    let late = failures.filter { isOfExpiredUpload($1, of: $0) }.keys
    guard let last = late.compactMap({ uploads[$0]?.values.map(\.begun).max() }).max() else {
      return []
    }
    let zones = Set(late.map { plan.items[$0].zone })
    let again = Set(failures.keys.filter { zones.contains(plan.items[$0].zone) })
    for position in again
    where uploads[position]?.values.contains(where: { $0.begun <= last }) ?? false {
      uploads[position] = nil
    }
    return again
  }

  /// Earlier servers do not say so: then the time decides.
  func isOfExpiredUpload(_ error: BrumeError, of index: Int) -> Bool {
    error.code == .receiptExpired
      || error.code == .badRequest && uploadsMayHaveExpired(of: index)
  }

  /// Whether files of a record have not been sent, or too long ago.
  private func needsFiles(
    _ index: Int, _ record: CKRecord, _ contents: CKRecord.Contents
  ) -> Bool {
    if uploads[index] != nil { return uploadsMayHaveExpired(of: index) }
    return !contents.filesToSend(policy(for: record)).isEmpty || !contents.filesToImport.isEmpty
  }

  /// Whether the server may not take any more what it answered for files of a record.
  private func uploadsMayHaveExpired(of index: Int) -> Bool {
    uploads[index]?.values.contains(where: isTooOld) ?? false
  }

  private func isTooOld(_ upload: UploadedAsset) -> Bool {
    session.host.now().timeIntervalSince(upload.begun) > Self.uploadSeconds
  }

  /// The last word, 1, comes with the save. A file that is sent again, because its answer was lost or the server has
  /// forgotten it, takes nothing back (case SAV-38).
  private func report(_ part: Double, of record: CKRecord, at index: Int) async {
    guard part < 1, part > reportedParts[index] ?? 0, !isCancelled else { return }
    reportedParts[index] = part
    await report { self.perRecordProgressBlock?(record, part) }
  }
}

extension CKError {
  /// This passes where the network is faster: a sync engine keeps its changes until then.
  static var uploadsExpired: CKError {
    CKError(
      .networkFailure,
      "sending the files took longer than the server keeps them without their records; save fewer at "
        + "once, or on a faster network")
  }
}
