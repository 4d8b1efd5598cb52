// Turning addresses, numbers and user records into participants to invite.

import BrumeClient
import BrumeModel

/// An operation that makes participants from addresses, phone numbers or user records.
///
/// Each becomes an invitation, with the account if the server finds one. Somebody who is not found
/// gets one too, with `hasiCloudAccount` false: the account is matched when the share is accepted.
/// Source: Apple's `CKFetchShareParticipantsOperation` page.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
  /// Whom to look for.
  open var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?
  /// Called once for each. If set, ``shareParticipantFetchedBlock`` is not called.
  open var perShareParticipantResultBlock:
    (
      (
        _ lookupInfo: CKUserIdentity.LookupInfo,
        _ shareParticipantResult: Result<CKShare.Participant, any Error>
      ) -> Void
    )?
  /// The older form of ``perShareParticipantResultBlock``.
  open var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)?
  /// Called once, last.
  open var fetchShareParticipantsResultBlock:
    ((_ operationResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``fetchShareParticipantsResultBlock``.
  open var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)?

  /// Creates an operation without work.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
    self.init()
    self.userIdentityLookupInfos = userIdentityLookupInfos
  }

  override func perform() async throws {
    let infos = userIdentityLookupInfos ?? []
    try CKError.checkCount(infos.count)
    let container = effectiveContainer
    let viewpoint = try await viewpoint(of: container.publicCloudDatabase)
    for part in infos.pieces(of: Limits.apple.recordsPerResponse) {
      let wanted = part.map(\.model)
      let found = try await request(from: viewpoint) {
        try await container.session.discoverUsers(wanted)
      }
      try await report(each: part) { info in
        let identity =
          info.match(in: found, from: viewpoint)
          ?? CKUserIdentity(lookupInfo: info, userRecordID: nil)
        self.reportOne(info, CKShare.Participant(inviting: identity))
      }
    }
  }

  private func reportOne(_ info: CKUserIdentity.LookupInfo, _ participant: CKShare.Participant) {
    if let perShareParticipantResultBlock {
      perShareParticipantResultBlock(info, .success(participant))
    } else {
      shareParticipantFetchedBlock?(participant)
    }
  }

  override func complete(_ failure: CKError?) {
    fetchShareParticipantsResultBlock?(CKError.result(failure))
    fetchShareParticipantsCompletionBlock?(failure)
  }
}
