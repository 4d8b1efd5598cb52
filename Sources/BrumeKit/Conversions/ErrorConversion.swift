// Every failure below this layer as the `CKError` that Apple's framework would report.

import BrumeClient
import BrumeModel
import Foundation

extension CKError {
  /// The error that stands for any failure of a call. A `CKError` stays as it is.
  init(converting error: any Error, from viewpoint: Viewpoint, clientRecord: CKRecord? = nil) {
    switch error {
    case let error as CKError: self = error
    case let error as BrumeError:
      self.init(error, from: viewpoint, clientRecord: clientRecord)
    case let failure as CallFailure: self.init(failure)
    case let failure as OutgoingFile.Failure: self.init(failure)
    case is CancellationError: self.init(.operationCancelled, "the operation was cancelled")
    default: self.init(.internalError, "unexpected failure: \(error)")
    }
  }

  /// What the server said.
  init(_ error: BrumeError, from viewpoint: Viewpoint, clientRecord: CKRecord? = nil) {
    var info: [String: Any] = [:]
    info[CKErrorRetryAfterKey] = error.retryAfter.map { NSNumber(value: $0) }
    if error.didResetEncryptedData { info[CKErrorUserDidResetEncryptedDataKey] = true }
    if error.isOfEarlierIncarnation { info[Self.earlierIncarnationKey] = true }
    if let server = error.serverRecord {
      info[CKRecordChangedErrorServerRecordKey] = makeRecord(server, from: viewpoint)
      info[CKRecordChangedErrorClientRecordKey] = clientRecord
      info[CKRecordChangedErrorAncestorRecordKey] = clientRecord.flatMap(\.unchangedCopy)
    }
    self.init(
      Code(rawValue: error.code.meaning.ckError) ?? .internalError, error.reason,
      userInfo: info)
  }

  /// What kept the request from the server, or its answer from us.
  init(_ failure: CallFailure) {
    switch failure {
    case .notConfigured(let reason): self.init(.missingEntitlement, reason)
    case .unreachable(let reason): self.init(.networkUnavailable, reason)
    case .connectionFailed(let reason), .notTaken(let reason): self.init(.networkFailure, reason)
    case .responseLost(let reason), .timedOut(let reason): self.init(.serverResponseLost, reason)
    case .serverFailed(let status, let reason): self = .serverFailed(status: status, reason)
    case .malformedAnswer(let reason):
      // This passes once the right server is reached: a sync engine keeps its changes until then.
      self.init(
        .networkFailure,
        "something else answered than a server of CloudKit (\(reason)); is the address right, or "
          + "does the network want one to sign in?")
    }
  }

  /// The server broke down (case ATM-12). Other refusals are for good; this one passes, and has the
  /// HTTP status as its underlying error.
  static func serverFailed(status: Int, _ reason: String) -> CKError {
    let underlying = NSError(
      domain: httpStatusDomain, code: status, userInfo: [NSLocalizedDescriptionKey: reason])
    return CKError(
      .serverRejectedRequest, reason, userInfo: [NSUnderlyingErrorKey: underlying])
  }
  private static let httpStatusDomain = "BrumeHTTPStatus"

  /// Whether the change token is of an earlier incarnation of its zone.
  var isOfEarlierIncarnation: Bool { userInfo[Self.earlierIncarnationKey] as? Bool ?? false }
  private static let earlierIncarnationKey = "BrumeEarlierLife"

  /// Whether the server broke down, rather than refuse.
  var isServerFailure: Bool {
    code == .serverRejectedRequest
      && (userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == Self.httpStatusDomain
  }

  /// Whether the server may have carried out what failed.
  var mayBeDone: Bool { code == .serverResponseLost || isServerFailure }

  /// A batch of which these items failed. It says the longest time that one of them is to wait (case LIM-08).
  static func partialFailure(_ errors: [AnyHashable: any Error]) -> CKError {
    var userInfo: [String: Any] = [CKPartialErrorsByItemIDKey: errors]
    userInfo[CKErrorRetryAfterKey] =
      errors.values.compactMap { ($0 as? CKError)?.retryAfterSeconds }.max()
    return CKError(
      .partialFailure, "\(errors.count) of the items failed; see partialErrorsByItemID",
      userInfo: userInfo)
  }
}

extension CKRecord {
  /// The record as it was fetched or saved last, as far as it is known: without the changes of the
  /// client. One made from archived system fields never knew its fields. Nil for a share of which it is not
  /// known: its participants would look as if the client had changed nothing.
  fileprivate var unchangedCopy: CKRecord? {
    guard let copy = self.copy() as? CKRecord else { return self }
    if let share = copy as? CKShare, !share.takeBackChanges() { return nil }
    copy.change { contents in
      for key in contents.changes { contents.fields[key] = contents.originals[key] }
      contents.changes = []
      contents.originals = [:]
      if contents.parentChanged { contents.parent = contents.originalParent }
      contents.parentChanged = false
      contents.originalParent = nil
    }
    return copy
  }
}
