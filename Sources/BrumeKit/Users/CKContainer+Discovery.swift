// Finding other users by address, number or record, as calls of the container. Apple deprecated all
// of it in favour of sharing; here it asks the server's `users/discover`.

import BrumeClient
import BrumeModel
import Foundation

extension CKContainer {
  // MARK: Everybody

  /// Finds the people one knows: here those with whom one shares, because there is no address book.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @_disfavoredOverload
  public func discoverAllIdentities(
    completionHandler: @escaping ([CKUserIdentity]?, (any Error)?) -> Void
  ) {
    run(discoveringAll { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Finds the people one knows: here those with whom one shares, because there is no address book.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @discardableResult
  public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] {
    try await answer { discoveringAll($0) }
  }

  @available(*, deprecated)
  fileprivate func discoveringAll(_ end: @escaping Ending<[CKUserIdentity]>) -> CKOperation {
    let operation = CKDiscoverAllUserIdentitiesOperation()
    var found: [CKUserIdentity] = []
    operation.userIdentityDiscoveredBlock = { found.append($0) }
    operation.discoverAllUserIdentitiesResultBlock = { end($0.map { found }) }
    return operation
  }

  // MARK: One

  /// Finds a user by e-mail address; nil if nobody is found.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @_disfavoredOverload
  public func discoverUserIdentity(
    withEmailAddress email: String,
    completionHandler: @escaping (CKUserIdentity?, (any Error)?) -> Void
  ) {
    run(discovering(CKUserIdentity.LookupInfo(emailAddress: email), completionHandler))
  }

  /// Finds a user by e-mail address; nil if nobody is found.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @discardableResult
  public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
    try await userIdentities(forEmailAddresses: [email])[email]
  }

  /// Finds a user by phone number; nil if nobody is found.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @_disfavoredOverload
  public func discoverUserIdentity(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping (CKUserIdentity?, (any Error)?) -> Void
  ) {
    run(discovering(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber), completionHandler))
  }

  /// Finds a user by phone number; nil if nobody is found.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @discardableResult
  public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
    try await userIdentities(forPhoneNumbers: [phoneNumber])[phoneNumber]
  }

  /// Finds a user by the ID of the user record; nil if nobody is found.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @_disfavoredOverload
  public func discoverUserIdentity(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping (CKUserIdentity?, (any Error)?) -> Void
  ) {
    run(discovering(CKUserIdentity.LookupInfo(userRecordID: userRecordID), completionHandler))
  }

  /// Finds a user by the ID of the user record; nil if nobody is found.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @discardableResult
  public func userIdentity(forUserRecordID userRecordID: CKRecord.ID) async throws
    -> CKUserIdentity?
  {
    try await userIdentities(forUserRecordIDs: [userRecordID])[userRecordID]
  }

  @available(*, deprecated)
  fileprivate func discovering(
    _ info: CKUserIdentity.LookupInfo,
    _ completion: @escaping (CKUserIdentity?, (any Error)?) -> Void
  ) -> CKOperation {
    discovering([info], by: { $0 }, { all in completion(all.pair.0?[info], all.pair.1) })
  }

  // MARK: Many

  /// Finds users by e-mail addresses; those of nobody are left out.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @preconcurrency
  public func discoverUserIdentities(
    forEmailAddresses emails: [String],
    completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
  ) {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(withEmails: emails)
    run(discovering(infos, by: \.emailAddress, completionHandler))
  }

  /// Finds users by e-mail addresses; those of nobody are left out.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  public func userIdentities(
    forEmailAddresses emails: [String]
  ) async throws -> [String: CKUserIdentity] {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(withEmails: emails)
    return try await answer { discovering(infos, by: \.emailAddress, $0) }
  }

  /// Finds users by phone numbers; those of nobody are left out.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @preconcurrency
  public func discoverUserIdentities(
    forPhoneNumbers phoneNumbers: [String],
    completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
  ) {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: phoneNumbers)
    run(discovering(infos, by: \.phoneNumber, completionHandler))
  }

  /// Finds users by phone numbers; those of nobody are left out.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  public func userIdentities(
    forPhoneNumbers phoneNumbers: [String]
  ) async throws -> [String: CKUserIdentity] {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: phoneNumbers)
    return try await answer { discovering(infos, by: \.phoneNumber, $0) }
  }

  /// Finds users by the IDs of their records; those of nobody are left out.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @preconcurrency
  public func discoverUserIdentities(
    forUserRecordIDs userRecordIDs: [CKRecord.ID],
    completionHandler:
      @escaping @Sendable (Result<[CKRecord.ID: CKUserIdentity], any Error>) -> Void
  ) {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(with: userRecordIDs)
    run(discovering(infos, by: \.userRecordID, completionHandler))
  }

  /// Finds users by the IDs of their records; those of nobody are left out.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  public func userIdentities(
    forUserRecordIDs userRecordIDs: [CKRecord.ID]
  ) async throws -> [CKRecord.ID: CKUserIdentity] {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(with: userRecordIDs)
    return try await answer { discovering(infos, by: \.userRecordID, $0) }
  }

  @available(*, deprecated)
  fileprivate func discovering<Key>(
    _ infos: [CKUserIdentity.LookupInfo], by key: @escaping (CKUserIdentity.LookupInfo) -> Key?,
    _ end: @escaping Ending<[Key: CKUserIdentity]>
  ) -> CKOperation {
    let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: infos)
    var found: [Key: CKUserIdentity] = [:]
    operation.userIdentityDiscoveredBlock = { identity, info in
      if let key = key(info) { found[key] = identity }
    }
    operation.discoverUserIdentitiesResultBlock = { end($0.map { found }) }
    return operation
  }
}

// MARK: With handlers that may be called from another task

extension CKContainerCalls {
  /// Finds the people one knows: here those with whom one shares, because there is no address book.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @preconcurrency
  public func discoverAllIdentities(
    completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
  ) {
    run(discoveringAll { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Finds a user by e-mail address; nil if nobody is found.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @preconcurrency
  public func discoverUserIdentity(
    withEmailAddress email: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    run(discovering(CKUserIdentity.LookupInfo(emailAddress: email), completionHandler))
  }

  /// Finds a user by phone number; nil if nobody is found.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @preconcurrency
  public func discoverUserIdentity(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    run(discovering(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber), completionHandler))
  }

  /// Finds a user by the ID of the user record; nil if nobody is found.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @preconcurrency
  public func discoverUserIdentity(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    run(discovering(CKUserIdentity.LookupInfo(userRecordID: userRecordID), completionHandler))
  }
}
