// Making participants from addresses, numbers and user records, as calls of the container.

import Foundation

extension CKContainer {
  // MARK: One

  /// Makes a participant from an e-mail address.
  @_disfavoredOverload
  public func fetchShareParticipant(
    withEmailAddress emailAddress: String,
    completionHandler: @escaping (CKShare.Participant?, (any Error)?) -> Void
  ) {
    run(inviting(.init(emailAddress: emailAddress)) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Makes a participant from an e-mail address.
  @discardableResult
  public func shareParticipant(
    forEmailAddress emailAddress: String
  ) async throws -> CKShare.Participant {
    try await answer { inviting(.init(emailAddress: emailAddress), $0) }
  }

  /// Makes a participant from a phone number.
  @_disfavoredOverload
  public func fetchShareParticipant(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping (CKShare.Participant?, (any Error)?) -> Void
  ) {
    run(inviting(.init(phoneNumber: phoneNumber)) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Makes a participant from a phone number.
  @discardableResult
  public func shareParticipant(
    forPhoneNumber phoneNumber: String
  ) async throws -> CKShare.Participant {
    try await answer { inviting(.init(phoneNumber: phoneNumber), $0) }
  }

  /// Makes a participant from the ID of a user record.
  @_disfavoredOverload
  public func fetchShareParticipant(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping (CKShare.Participant?, (any Error)?) -> Void
  ) {
    run(inviting(.init(userRecordID: userRecordID)) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Makes a participant from the ID of a user record.
  @discardableResult
  public func shareParticipant(
    forUserRecordID userRecordID: CKRecord.ID
  ) async throws -> CKShare.Participant {
    try await answer { inviting(.init(userRecordID: userRecordID), $0) }
  }

  fileprivate func inviting(
    _ info: CKUserIdentity.LookupInfo, _ end: @escaping Ending<CKShare.Participant>
  ) -> CKOperation {
    inviting([info], by: { $0 }) { all in
      end(all.single("the participant") { $0[info] })
    }
  }

  // MARK: Many

  /// Makes participants from whatever is known of them. Only a failure of the request as a whole
  /// is thrown.
  public func shareParticipants(
    for lookupInfos: [CKUserIdentity.LookupInfo]
  ) async throws -> [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] {
    try await answer { inviting(lookupInfos, by: { $0 }, $0) }
  }

  /// Makes participants from e-mail addresses. Only a failure of the request as a whole is an error.
  @preconcurrency
  public func fetchShareParticipants(
    forEmailAddresses emails: [String],
    completionHandler:
      @escaping @Sendable (
        Result<[String: Result<CKShare.Participant, any Error>], any Error>
      ) -> Void
  ) {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(withEmails: emails)
    run(inviting(infos, by: \.emailAddress, completionHandler))
  }

  /// Makes participants from e-mail addresses. Only a failure of the request as a whole is thrown.
  public func shareParticipants(
    forEmailAddresses emails: [String]
  ) async throws -> [String: Result<CKShare.Participant, any Error>] {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(withEmails: emails)
    return try await answer { inviting(infos, by: \.emailAddress, $0) }
  }

  /// Makes participants from phone numbers. Only a failure of the request as a whole is an error.
  @preconcurrency
  public func fetchShareParticipants(
    forPhoneNumbers phoneNumbers: [String],
    completionHandler:
      @escaping @Sendable (
        Result<[String: Result<CKShare.Participant, any Error>], any Error>
      ) -> Void
  ) {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: phoneNumbers)
    run(inviting(infos, by: \.phoneNumber, completionHandler))
  }

  /// Makes participants from phone numbers. Only a failure of the request as a whole is thrown.
  public func shareParticipants(
    forPhoneNumbers phoneNumbers: [String]
  ) async throws -> [String: Result<CKShare.Participant, any Error>] {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: phoneNumbers)
    return try await answer { inviting(infos, by: \.phoneNumber, $0) }
  }

  /// Makes participants from the IDs of user records. Only a failure of the request as a whole is
  /// an error.
  @preconcurrency
  public func fetchShareParticipants(
    forUserRecordIDs userRecordIDs: [CKRecord.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKRecord.ID: Result<CKShare.Participant, any Error>], any Error>
      ) -> Void
  ) {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(with: userRecordIDs)
    run(inviting(infos, by: \.userRecordID, completionHandler))
  }

  /// Makes participants from the IDs of user records. Only a failure of the request as a whole is
  /// thrown.
  public func shareParticipants(
    forUserRecordIDs userRecordIDs: [CKRecord.ID]
  ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(with: userRecordIDs)
    return try await answer { inviting(infos, by: \.userRecordID, $0) }
  }

  fileprivate func inviting<Key>(
    _ infos: [CKUserIdentity.LookupInfo], by key: @escaping (CKUserIdentity.LookupInfo) -> Key?,
    _ end: @escaping Ending<[Key: Result<CKShare.Participant, any Error>]>
  ) -> CKOperation {
    let operation = CKFetchShareParticipantsOperation(userIdentityLookupInfos: infos)
    var results: [Key: Result<CKShare.Participant, any Error>] = [:]
    operation.perShareParticipantResultBlock = { info, result in
      if let key = key(info) { results[key] = result }
    }
    operation.fetchShareParticipantsResultBlock = { end($0.map { results }) }
    return operation
  }
}

// MARK: With handlers that may be called from another task

extension CKContainerCalls {
  /// Makes a participant from an e-mail address.
  @preconcurrency
  public func fetchShareParticipant(
    withEmailAddress emailAddress: String,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    run(inviting(.init(emailAddress: emailAddress)) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Makes a participant from a phone number.
  @preconcurrency
  public func fetchShareParticipant(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    run(inviting(.init(phoneNumber: phoneNumber)) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Makes a participant from the ID of a user record.
  @preconcurrency
  public func fetchShareParticipant(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    run(inviting(.init(userRecordID: userRecordID)) { completionHandler($0.pair.0, $0.pair.1) })
  }
}
