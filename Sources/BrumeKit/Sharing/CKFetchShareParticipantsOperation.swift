// Turning addresses, numbers and user records into participants to invite.

import BrumeModel

/// An operation that makes participants from addresses, phone numbers or user records.
///
/// Each becomes an invitation; the server finds the account when the share is saved or accepted.
/// So one is answered for every address, with `hasiCloudAccount` false until an account is known.
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
    await report {
      for info in infos {
        let identity = CKUserIdentity(lookupInfo: info, userRecordID: info.userRecordID)
        let participant = CKShare.Participant(inviting: identity)
        if let block = self.perShareParticipantResultBlock {
          block(info, .success(participant))
        } else {
          self.shareParticipantFetchedBlock?(participant)
        }
      }
    }
  }

  override func complete(_ failure: CKError?) {
    fetchShareParticipantsResultBlock?(CKError.result(failure))
    fetchShareParticipantsCompletionBlock?(failure)
  }
}
