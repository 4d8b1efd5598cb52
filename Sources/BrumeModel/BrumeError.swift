// Every error the server can answer with, and one table of what each means outside: the wire's
// `serverErrorCode`, the HTTP status, the `CKError` code. Nothing else decides these.

/// An error that is answered to a client.
package struct BrumeError: Error, Equatable, Sendable {
  /// What went wrong. What each code means outside is `meaning`.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    case accessDenied, atomicError, authenticationFailed, authenticationRequired, badRequest
    case conflict, exists, internalError, notFound, quotaExceeded, throttled, tryAgainLater
    case validatingReferenceError, zoneNotFound, uniqueFieldError, zoneBusy
    // Finer than the wire's list; distinguished by the `CKError` number under our own key.
    case changeTokenExpired, userDeletedZone, limitExceeded, badDatabase, rejected, alreadyShared
    case tooManyParticipants, participantMayNeedVerification, assetNotAvailable, badContainer
    case participantAlreadyInvited, missingEntitlement
    /// A save needs its file once more. The number is that of `badRequest`: only our own client knows it.
    case receiptExpired
    case incompatibleVersion, managedAccountRestricted, accountTemporarilyUnavailable
  }
  package let code: Code
  /// English text that names the field, type or zone, the rule, and what to do next.
  package let reason: String
  /// Seconds. Nil: retrying the same request does not help.
  package var retryAfter: Double?
  /// Where the user signs in, with `authenticationRequired`.
  package var redirectURL: String?
  /// With `conflict`: the record as the server has it.
  package var serverRecord: Record?
  /// With `zoneNotFound`: the zone went because the user reset encrypted data (case ZON-14).
  package var didResetEncryptedData = false
  /// With `changeTokenExpired`: the token is of an earlier incarnation of the zone (case ZON-16).
  package var isOfEarlierIncarnation = false

  /// - Parameter retryAfter: seconds; nil: retrying the same request does not help.
  package init(_ code: Code, _ reason: String, retryAfter: Double? = nil) {
    self.code = code
    self.reason = reason
    self.retryAfter = retryAfter
  }

  /// What is stored does not fit its checksum.
  ///
  /// - Parameter what: as a sentence begins, with the name.
  package static func damaged(_ what: String) -> BrumeError {
    BrumeError(
      .internalError,
      "\(what) is damaged in the server's storage and cannot be read; trying again does not help: the "
        + "server's operator finds what to do with 'brume doctor --deep'")
  }

  /// For who goes on with the rest: whoever reads something damaged has noted it.
  ///
  /// - Returns: what was read; nil also if it is damaged.
  /// - Throws: whatever else `read` throws.
  @discardableResult
  package static func unlessDamaged<Value>(_ read: () throws -> Value?) throws -> Value? {
    do { return try read() } catch let error as BrumeError where error.code == .internalError {
      return nil
    }
  }
}

extension BrumeError.Code {
  /// What the code means outside.
  package struct Meaning: Equatable, Sendable {
    /// `serverErrorCode` on the wire. Only the documented codes: strict clients decode no others.
    package let wire: String
    package let httpStatus: Int
    /// `CKError.Code`'s raw value.
    package let ckError: Int
  }

  package var meaning: Meaning {
    switch self {
    case .accessDenied: Meaning(wire: "ACCESS_DENIED", httpStatus: 403, ckError: 10)
    case .atomicError: Meaning(wire: "ATOMIC_ERROR", httpStatus: 400, ckError: 22)
    case .authenticationFailed: Meaning(wire: "AUTHENTICATION_FAILED", httpStatus: 401, ckError: 9)
    case .authenticationRequired:
      Meaning(wire: "AUTHENTICATION_REQUIRED", httpStatus: 421, ckError: 9)
    case .badRequest: Meaning(wire: "BAD_REQUEST", httpStatus: 400, ckError: 12)
    case .conflict: Meaning(wire: "CONFLICT", httpStatus: 409, ckError: 14)
    case .exists: Meaning(wire: "EXISTS", httpStatus: 409, ckError: 14)
    case .internalError: Meaning(wire: "INTERNAL_ERROR", httpStatus: 500, ckError: 1)
    case .notFound: Meaning(wire: "NOT_FOUND", httpStatus: 404, ckError: 11)
    case .quotaExceeded: Meaning(wire: "QUOTA_EXCEEDED", httpStatus: 413, ckError: 25)
    case .throttled: Meaning(wire: "THROTTLED", httpStatus: 429, ckError: 7)
    case .tryAgainLater: Meaning(wire: "TRY_AGAIN_LATER", httpStatus: 503, ckError: 6)
    case .validatingReferenceError:
      Meaning(wire: "VALIDATING_REFERENCE_ERROR", httpStatus: 412, ckError: 31)
    case .zoneNotFound: Meaning(wire: "ZONE_NOT_FOUND", httpStatus: 404, ckError: 26)
    case .uniqueFieldError: Meaning(wire: "UNIQUE_FIELD_ERROR", httpStatus: 409, ckError: 19)
    case .zoneBusy: Meaning(wire: "ZONE_BUSY", httpStatus: 503, ckError: 23)
    case .changeTokenExpired: Meaning(wire: "BAD_REQUEST", httpStatus: 400, ckError: 21)
    case .userDeletedZone: Meaning(wire: "ZONE_NOT_FOUND", httpStatus: 404, ckError: 28)
    case .limitExceeded: Meaning(wire: "BAD_REQUEST", httpStatus: 400, ckError: 27)
    case .badDatabase: Meaning(wire: "BAD_REQUEST", httpStatus: 400, ckError: 24)
    case .rejected: Meaning(wire: "BAD_REQUEST", httpStatus: 400, ckError: 15)
    case .alreadyShared: Meaning(wire: "BAD_REQUEST", httpStatus: 400, ckError: 30)
    case .tooManyParticipants: Meaning(wire: "BAD_REQUEST", httpStatus: 400, ckError: 29)
    case .participantMayNeedVerification:
      Meaning(wire: "ACCESS_DENIED", httpStatus: 403, ckError: 33)
    case .participantAlreadyInvited: Meaning(wire: "BAD_REQUEST", httpStatus: 400, ckError: 37)
    case .receiptExpired: Meaning(wire: "BAD_REQUEST", httpStatus: 400, ckError: 12)
    case .assetNotAvailable: Meaning(wire: "NOT_FOUND", httpStatus: 404, ckError: 35)
    case .badContainer: Meaning(wire: "BAD_REQUEST", httpStatus: 400, ckError: 5)
    case .missingEntitlement: Meaning(wire: "AUTHENTICATION_FAILED", httpStatus: 401, ckError: 8)
    case .incompatibleVersion: Meaning(wire: "BAD_REQUEST", httpStatus: 400, ckError: 18)
    case .managedAccountRestricted: Meaning(wire: "ACCESS_DENIED", httpStatus: 403, ckError: 32)
    case .accountTemporarilyUnavailable:
      Meaning(wire: "TRY_AGAIN_LATER", httpStatus: 503, ckError: 36)
    }
  }
}
