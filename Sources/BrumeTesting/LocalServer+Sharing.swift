// Sharing in one line: what two people do with their phones, done by the framework's own calls.

public import BrumeKit

extension LocalServer {
  /// A user shares a record with another one, who accepts. What is missing is made: the zone, the
  /// record, the users' devices (named as the users). The pushes of all this have been made when the
  /// call returns.
  ///
  /// - Parameters:
  ///   - record: saved together with its share. Records of the default zone cannot be shared.
  ///   - permission: what the other user may do.
  /// - Returns: the share as saved, with its URL. The other user finds the record in
  ///   `sharedCloudDatabase`, in a zone whose owner is the first one.
  /// - Throws: as the calls of the framework do.
  @discardableResult
  public func share(
    _ record: CKRecord, from owner: String, with participant: String,
    permission: CKShare.ParticipantPermission = .readWrite
  ) async throws -> CKShare {
    try await share(
      CKShare(rootRecord: record), saving: [record], from: owner, with: participant, permission)
  }

  /// The same for a zone, with all that is in it.
  ///
  /// - Throws: as the calls of the framework do.
  @discardableResult
  public func share(
    _ zone: CKRecordZone.ID, from owner: String, with participant: String,
    permission: CKShare.ParticipantPermission = .readWrite
  ) async throws -> CKShare {
    try await share(
      CKShare(recordZoneID: zone), saving: [], from: owner, with: participant, permission)
  }

  private func share(
    _ share: CKShare, saving records: [CKRecord], from owner: String, with participant: String,
    _ permission: CKShare.ParticipantPermission
  ) async throws -> CKShare {
    let theirs = try await container(of: participant)
    let container = try await container(of: owner)
    let invited = try await container.shareParticipant(
      forUserRecordID: try await theirs.userRecordID())
    invited.permission = permission
    share.addParticipant(invited)
    let database = container.privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: share.recordID.zoneID))
    let results = try await database.modifyRecords(saving: records + [share], deleting: [])
    for result in results.saveResults.values { _ = try result.get() }
    guard let saved = try results.saveResults[share.recordID]?.get() as? CKShare,
      let url = saved.url
    else { throw CKError(.internalError) }
    // Whether the other one is notified of what was saved before must not depend on how fast the notifier is.
    try await settle()
    _ = try await theirs.accept(try await theirs.shareMetadata(for: url))
    try await settle()
    return saved
  }

  /// A device of the user, whichever was made first by name.
  private func container(of user: String) async throws -> CKContainer {
    let device = try deviceNames.first { try known($0).user == user } ?? user
    return try await self.device(device, of: user)
  }
}
