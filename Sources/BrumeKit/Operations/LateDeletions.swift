// Deletions of a long-lived operation that is so old that the server may have forgotten whether it
// carried them out. A record under the same name may be another one by now, which nobody wanted to
// delete: what was made since stays.

import BrumeClient
import BrumeModel
import Foundation

/// A record to delete, and what is asked for that.
struct Deletion {
  let id: CKRecord.ID
  let operation: RecordOperation
}

extension CKModifyRecordsOperation {
  /// Ours: how much the clocks of a device and a server may differ.
  private static let clockDifferenceSeconds = 3600.0

  /// What is asked for records that are to be deleted. Looks at them first if they may be deleted already.
  func deletions(
    of ids: [CKRecord.ID], from viewpoint: Viewpoint
  ) async throws -> [Deletion] {
    guard mayBeForgotten, let begunBefore else {
      return ids.map { Deletion(id: $0, operation: RecordOperation(deleting: $0)) }
    }
    let last = Milliseconds(begunBefore.addingTimeInterval(-Self.clockDifferenceSeconds))
    let database = effectiveDatabase
    var deletions: [Deletion] = []
    for part in ids.pieces(of: Limits.apple.recordsPerResponse) {
      let question = LookupRecordsRequest(
        items: part.map { .init(name: $0.recordName, zone: ZoneID($0.zoneID)) }, desiredKeys: [])
      let found = try await request(from: viewpoint) {
        try await database.caller.lookupRecords(question)
      }
      deletions += part.enumerated().map { index, id in
        let ofParticipant = database.databaseScope == .shared
        return Deletion(
          id: id,
          operation: Self.deletion(
            of: id, found[ifThere: index], ofParticipant: ofParticipant, madeBefore: last))
      }
    }
    return deletions
  }

  /// The deletion of the very record that was found, if that is the one that was meant. No record has an empty tag: the
  /// server refuses what was made since, and says which record that is, as it does for one that is made in this moment.
  ///
  /// - Parameter ofParticipant: whether deleting a share is leaving it. Its owner made it long ago, and joining it changes
  ///   it: who has left it and joined again stays in it.
  private static func deletion(
    of id: CKRecord.ID, _ found: RecordResult?, ofParticipant: Bool, madeBefore last: Milliseconds
  ) -> RecordOperation {
    var draft = RecordDraft(name: id.recordName, changeTag: "", zone: ZoneID(id.zoneID))
    if case .success(.saved(let stored))? = found, let record = try? stored.record(),
      let made = (ofParticipant && record.isShare ? record.modified : record.created)?.time,
      made < last
    {
      draft.changeTag = record.changeTag
    }
    return RecordOperation(.delete, draft)
  }
}
