// The codes once more as static properties of `CKError`, for `catch CKError.unknownItem`.

extension CKError {
  /// Something inside the library failed; trying again does not help.
  public static var internalError: CKError.Code { .internalError }
  /// Some items failed; see ``CKError/partialErrorsByItemID``.
  public static var partialFailure: CKError.Code { .partialFailure }
  /// There is no network.
  public static var networkUnavailable: CKError.Code { .networkUnavailable }
  /// The network is there, but the connection failed.
  public static var networkFailure: CKError.Code { .networkFailure }
  /// The container is unknown, or the program may not use it.
  public static var badContainer: CKError.Code { .badContainer }
  /// The service is down; wait for ``CKError/retryAfterSeconds``.
  public static var serviceUnavailable: CKError.Code { .serviceUnavailable }
  /// Too many requests; wait for ``CKError/retryAfterSeconds``.
  public static var requestRateLimited: CKError.Code { .requestRateLimited }
  /// The program is not set up to use CloudKit.
  public static var missingEntitlement: CKError.Code { .missingEntitlement }
  /// Nobody is signed in.
  public static var notAuthenticated: CKError.Code { .notAuthenticated }
  /// The user may not do this.
  public static var permissionFailure: CKError.Code { .permissionFailure }
  /// The item does not exist.
  public static var unknownItem: CKError.Code { .unknownItem }
  /// The request is malformed: its predicate, its records, or its use of the schema.
  public static var invalidArguments: CKError.Code { .invalidArguments }
  /// Not reported any more.
  public static var resultsTruncated: CKError.Code { .resultsTruncated }
  /// Somebody else changed the record first; see ``CKError/serverRecord``.
  public static var serverRecordChanged: CKError.Code { .serverRecordChanged }
  /// The server refuses the request for good.
  public static var serverRejectedRequest: CKError.Code { .serverRejectedRequest }
  /// The asset's local file is missing.
  public static var assetFileNotFound: CKError.Code { .assetFileNotFound }
  /// The asset's local file changed while it was being saved.
  public static var assetFileModified: CKError.Code { .assetFileModified }
  /// The program is older than the server allows.
  public static var incompatibleVersion: CKError.Code { .incompatibleVersion }
  /// A unique field would have the same value twice.
  public static var constraintViolation: CKError.Code { .constraintViolation }
  /// The operation was cancelled.
  public static var operationCancelled: CKError.Code { .operationCancelled }
  /// The change token is too old; fetch again from the beginning.
  public static var changeTokenExpired: CKError.Code { .changeTokenExpired }
  /// Another item of the same atomic batch failed.
  public static var batchRequestFailed: CKError.Code { .batchRequestFailed }
  /// The zone is busy; wait, longer each time.
  public static var zoneBusy: CKError.Code { .zoneBusy }
  /// This database does not support the request.
  public static var badDatabase: CKError.Code { .badDatabase }
  /// There is no space left.
  public static var quotaExceeded: CKError.Code { .quotaExceeded }
  /// The zone does not exist.
  public static var zoneNotFound: CKError.Code { .zoneNotFound }
  /// The request is too large; split it in half.
  public static var limitExceeded: CKError.Code { .limitExceeded }
  /// The user deleted the zone in the settings.
  public static var userDeletedZone: CKError.Code { .userDeletedZone }
  /// The share has too many participants.
  public static var tooManyParticipants: CKError.Code { .tooManyParticipants }
  /// The record, or one above or below it, is in another share already.
  public static var alreadyShared: CKError.Code { .alreadyShared }
  /// The target of a parent or share reference does not exist.
  public static var referenceViolation: CKError.Code { .referenceViolation }
  /// The account's administrator forbids this.
  public static var managedAccountRestricted: CKError.Code { .managedAccountRestricted }
  /// The user may be invited under an address that is not verified yet; open the share's URL.
  public static var participantMayNeedVerification: CKError.Code { .participantMayNeedVerification }
  /// The request may have been carried out, but its answer was lost.
  public static var serverResponseLost: CKError.Code { .serverResponseLost }
  /// The asset's file cannot be reached now.
  public static var assetNotAvailable: CKError.Code { .assetNotAvailable }
  /// The account is there, but not ready.
  public static var accountTemporarilyUnavailable: CKError.Code { .accountTemporarilyUnavailable }
  /// The user is invited already; accept that invitation.
  public static var participantAlreadyInvited: CKError.Code { .participantAlreadyInvited }
}
