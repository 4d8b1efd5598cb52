// A fault that somebody asks for, to see what a client does about it: which calls it meets, and what
// happens to them. When it applies is decided by BrumeCore's `FaultPlan.swift`.

/// What is to go wrong with which calls. Conditions that are nil or empty hold for any.
package struct Fault: Equatable, Sendable {
  /// What a client asks for, in the words of the framework.
  package enum Operation: String, Hashable, Sendable, CaseIterable {
    case saveRecords, deleteRecords, fetchRecords, query
    case saveZones, deleteZones, fetchZones
    case fetchDatabaseChanges, fetchZoneChanges
    case saveSubscriptions, deleteSubscriptions, fetchSubscriptions
    case sharing, account
    /// Looking people up; making a device one that gets pushes.
    case users, devices
    /// Asking where to send files; fetching one, which nobody is named for.
    case uploadAssets, fetchAssets
    /// A push on its way to a device.
    case push

    /// Whether a change token may come with it.
    package var bringsToken: Bool {
      switch self {
      case .fetchDatabaseChanges, .fetchZoneChanges: true
      case .saveRecords, .deleteRecords, .fetchRecords, .query, .saveZones, .deleteZones,
        .fetchZones, .saveSubscriptions, .deleteSubscriptions, .fetchSubscriptions, .sharing,
        .account, .users, .devices, .uploadAssets, .fetchAssets, .push:
        false
      }
    }

    /// Whether it may say which zone it is about.
    package var namesZone: Bool {
      switch self {
      case .saveRecords, .deleteRecords, .fetchRecords, .query, .saveZones, .deleteZones,
        .fetchZones, .fetchZoneChanges, .uploadAssets:
        true
      case .fetchDatabaseChanges, .saveSubscriptions, .deleteSubscriptions, .fetchSubscriptions,
        .sharing, .account, .users, .devices, .fetchAssets, .push:
        false
      }
    }
  }

  /// The errors that exist, by the framework's names; raw values are the numbers of `CKError.Code`.
  package enum ErrorCode: Int, Hashable, Sendable, CaseIterable {
    case internalError = 1
    case partialFailure, networkUnavailable, networkFailure, badContainer, serviceUnavailable
    case requestRateLimited, missingEntitlement, notAuthenticated, permissionFailure, unknownItem
    case invalidArguments, resultsTruncated, serverRecordChanged, serverRejectedRequest
    case assetFileNotFound, assetFileModified, incompatibleVersion, constraintViolation
    case operationCancelled, changeTokenExpired, batchRequestFailed, zoneBusy, badDatabase
    case quotaExceeded, zoneNotFound, limitExceeded, userDeletedZone, tooManyParticipants
    case alreadyShared, referenceViolation, managedAccountRestricted
    case participantMayNeedVerification, serverResponseLost, assetNotAvailable
    case accountTemporarilyUnavailable, participantAlreadyInvited

    /// The server's error that clients take for this one; nil if no answer says it.
    package var answer: BrumeError.Code? {
      BrumeError.Code.allCases.first { $0.meaning.ckError == rawValue }
    }

    /// Whether a server can cause it: by an answer, or by none.
    package var comesFromServers: Bool { answer != nil || connectionErrors.contains(self) }
  }

  /// What happens to a call that the fault meets.
  package enum Effect: Equatable, Sendable {
    /// Fails with this error.
    case error(ErrorCode)
    /// Carried out, but the answer does not arrive.
    case loseAnswer
    /// Somebody else saves the record first.
    case conflict
    /// The token of the call is expired from now on.
    case expireToken
    /// Zones: reported as saved, and not made (case ZON-11).
    case pretend
    /// The zone goes before the call is looked at.
    case removeZone(Zone.Deletion)
    /// The account of the device that calls goes: the call is refused, and later ones too. With a
    /// user, later ones are that user's.
    case changeAccount(to: UserID?)
    case dropPush, duplicatePush
    /// Held back until it is released.
    case holdPush
  }

  /// Empty: any.
  package var operations: Set<Operation>
  package var effect: Effect
  /// The zone's name.
  package var zone: String?
  /// The record's name.
  package var record: String?
  /// The record name of the user who calls.
  package var user: UserID?
  package var device: DeviceID?
  /// Matching calls that pass before it applies.
  package var skip: Int
  /// Matching calls that it meets; nil: until it is taken away.
  package var count: Int?
  /// Seconds, sent with an error.
  package var retryAfter: Double?

  package init(
    _ effect: Effect, on operations: Set<Operation> = [], zone: String? = nil,
    record: String? = nil, user: UserID? = nil, device: DeviceID? = nil, skip: Int = 0,
    count: Int? = 1, retryAfter: Double? = nil
  ) {
    self.effect = effect
    self.operations = operations
    self.zone = zone
    self.record = record
    self.user = user
    self.device = device
    self.skip = skip
    self.count = count
    self.retryAfter = retryAfter
  }
}

extension Fault {
  /// Errors of the connection, which no server can answer with: the connection breaks instead.
  package static let connectionErrors: Set<ErrorCode> = [
    .networkUnavailable, .networkFailure, .serverResponseLost,
  ]

  /// Errors that the framework reports for single items of a call.
  package static let itemErrors: Set<ErrorCode> = [
    .permissionFailure, .unknownItem, .invalidArguments, .serverRecordChanged,
    .serverRejectedRequest, .constraintViolation, .changeTokenExpired, .batchRequestFailed,
    .quotaExceeded, .zoneNotFound, .userDeletedZone, .tooManyParticipants, .alreadyShared,
    .referenceViolation, .participantMayNeedVerification, .assetNotAvailable,
    .participantAlreadyInvited,
  ]

  /// Whether the error is only said at an operation. Conflicts of saves and expired tokens are made:
  /// the server really has another record, and really refuses the token from then on.
  package func isClaimed(at operation: Operation) -> Bool {
    switch effect {
    case .error(.serverRecordChanged): operation != .saveRecords
    case .error(.changeTokenExpired): !operation.bringsToken
    case .error: true
    case .loseAnswer, .conflict, .expireToken, .pretend, .removeZone, .changeAccount, .dropPush,
      .duplicatePush, .holdPush:
      false
    }
  }

  /// Whether the fault can do something at an operation: one that is met elsewhere would be used up by nothing.
  package func isPossible(at operation: Operation) -> Bool {
    switch effect {
    case .error, .loseAnswer: operation != .push
    case .conflict: operation == .saveRecords || operation == .deleteRecords
    case .expireToken: operation.bringsToken
    case .pretend: operation == .saveZones
    case .changeAccount: operation != .push && operation != .fetchAssets
    case .removeZone(.encryptedDataReset):
      operation != .push && operation != .fetchAssets && operation != .account
    case .removeZone: operation.namesZone
    case .dropPush, .duplicatePush, .holdPush: operation == .push
    }
  }

  /// Whether items of a call fail, or the call as a whole.
  package var isAboutItems: Bool {
    guard case .error(let code) = effect else { return true }
    if Self.connectionErrors.contains(code) { return false }
    return zone != nil || record != nil || Self.itemErrors.contains(code)
  }
}
