// `CKError`: a struct around an `NSError`, as Apple's framework has it, so that it can be caught by
// type, matched by code, and read as an `NSError`. Which code a server error becomes is decided by
// the table in BrumeModel's `BrumeError.swift`.

public import Foundation

/// An error that CloudKit reports.
public struct CKError: CustomNSError, Hashable, Error {
  /// The error in its Foundation form.
  public let _nsError: NSError

  /// Wraps a Foundation error whose domain is ``CKErrorDomain``.
  public init(_nsError error: NSError) {
    _nsError = error
  }

  /// Creates an error from a code and its details.
  public init(_ code: CKError.Code, userInfo: [String: Any] = [:]) {
    _nsError = PrintedError(domain: CKErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// The domain of every CloudKit error.
  public static var errorDomain: String { CKErrorDomain }

  /// What went wrong.
  public var code: CKError.Code { Code(rawValue: _nsError.code) ?? .internalError }

  /// The code as a number.
  public var errorCode: Int { _nsError.code }

  /// Details, under the keys that start with `CK` and Foundation's own.
  public var userInfo: [String: Any] { _nsError.userInfo }

  /// The same details as ``userInfo``.
  public var errorUserInfo: [String: Any] { _nsError.userInfo }

  /// What the server said, or else a sentence about the code.
  public var localizedDescription: String { _nsError.localizedDescription }

  /// Whether two errors have the same code and the same details.
  public static func == (lhs: CKError, rhs: CKError) -> Bool { lhs._nsError.isEqual(rhs._nsError) }

  /// Feeds the error's code into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(_nsError.code) }
}

extension CKError {
  /// The errors of the items that failed, with a partial failure.
  public var partialErrorsByItemID: [AnyHashable: any Error]? {
    userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
  }

  /// The record that the client started from, with a conflict. Nil for a share from an archive that an earlier
  /// version of Brume wrote.
  public var ancestorRecord: CKRecord? {
    userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord
  }

  /// The record as the server has it, with a conflict. Merge into this one and save it.
  public var serverRecord: CKRecord? {
    userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord
  }

  /// The record that the client tried to save, with a conflict.
  public var clientRecord: CKRecord? {
    userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord
  }

  /// How many seconds to wait before trying again. Nil if trying again does not help.
  public var retryAfterSeconds: Double? {
    (userInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue
      ?? userInfo[CKErrorRetryAfterKey] as? Double
  }
}

extension CKError {
  /// An error with a sentence that says what happened and what to do next.
  init(_ code: CKError.Code, _ reason: String, userInfo: [String: Any] = [:]) {
    self.init(
      code, userInfo: userInfo.merging([NSLocalizedDescriptionKey: reason]) { _, reason in reason })
  }
}
