// The closed list of error codes. Numbers are Apple's.

import Foundation

extension CKError {
  /// What went wrong.
  public enum Code: Int, Sendable {
    /// Something inside the library failed; trying again does not help.
    case internalError = 1
    /// Some items failed; see ``CKError/partialErrorsByItemID``.
    case partialFailure = 2
    /// There is no network.
    case networkUnavailable = 3
    /// The network is there, but the connection failed.
    case networkFailure = 4
    /// The container is unknown, or the program may not use it.
    case badContainer = 5
    /// The service is down; wait for ``CKError/retryAfterSeconds``.
    case serviceUnavailable = 6
    /// Too many requests; wait for ``CKError/retryAfterSeconds``.
    case requestRateLimited = 7
    /// The program is not set up to use CloudKit.
    case missingEntitlement = 8
    /// Nobody is signed in.
    case notAuthenticated = 9
    /// The user may not do this.
    case permissionFailure = 10
    /// The item does not exist.
    case unknownItem = 11
    /// The request is malformed: its predicate, its records, or its use of the schema.
    case invalidArguments = 12
    /// Not reported any more.
    case resultsTruncated = 13
    /// Somebody else changed the record first; see ``CKError/serverRecord``.
    case serverRecordChanged = 14
    /// The server refuses the request for good.
    case serverRejectedRequest = 15
    /// The asset's local file is missing.
    case assetFileNotFound = 16
    /// The asset's local file changed while it was being saved.
    case assetFileModified = 17
    /// The program is older than the server allows.
    case incompatibleVersion = 18
    /// A unique field would have the same value twice.
    case constraintViolation = 19
    /// The operation was cancelled.
    case operationCancelled = 20
    /// The change token is too old; fetch again from the beginning.
    case changeTokenExpired = 21
    /// Another item of the same atomic batch failed.
    case batchRequestFailed = 22
    /// The zone is busy; wait, longer each time.
    case zoneBusy = 23
    /// This database does not support the request.
    case badDatabase = 24
    /// There is no space left.
    case quotaExceeded = 25
    /// The zone does not exist.
    case zoneNotFound = 26
    /// The request is too large; split it in half.
    case limitExceeded = 27
    /// The user deleted the zone in the settings.
    case userDeletedZone = 28
    /// The share has too many participants.
    case tooManyParticipants = 29
    /// The record, or one above or below it, is in another share already.
    case alreadyShared = 30
    /// The target of a parent or share reference does not exist.
    case referenceViolation = 31
    /// The account's administrator forbids this.
    case managedAccountRestricted = 32
    /// The user may be invited under an address that is not verified yet; open the share's URL.
    case participantMayNeedVerification = 33
    /// The request may have been carried out, but its answer was lost.
    case serverResponseLost = 34
    /// The asset's file cannot be reached now.
    case assetNotAvailable = 35
    /// The account is there, but not ready.
    case accountTemporarilyUnavailable = 36
    /// The user is invited already; accept that invitation.
    case participantAlreadyInvited = 37

    /// Whether an error is a CloudKit error with this code: lets `catch CKError.unknownItem` work.
    public static func ~= (match: CKError.Code, error: any Error) -> Bool {
      let error = error as NSError
      return error.domain == CKErrorDomain && error.code == match.rawValue
    }
  }
}
