// The ways in which apps look for people: completion handlers, operations and async calls, by address,
// by number, by record.

import BrumeKit
import Foundation

/// What is known of somebody.
enum Known: Sendable {
  case email(String)
  case phone(String)
  case record(CKRecord.ID)

  var info: CKUserIdentity.LookupInfo {
    switch self {
    case .email(let address): CKUserIdentity.LookupInfo(emailAddress: address)
    case .phone(let number): CKUserIdentity.LookupInfo(phoneNumber: number)
    case .record(let id): CKUserIdentity.LookupInfo(userRecordID: id)
    }
  }
}

extension APIStyle {
  /// Somebody, or nil if nobody is found.
  @available(*, deprecated, message: "tests what is deprecated")
  func identity(of known: Known, _ container: CKContainer) async throws -> CKUserIdentity? {
    switch (self, known) {
    case (.handlers, .email(let address)):
      return try await waited { done in
        container.discoverUserIdentity(withEmailAddress: address) { done(maybe($0, $1)) }
      }
    case (.handlers, .phone(let number)):
      return try await waited { done in
        container.discoverUserIdentity(withPhoneNumber: number) { done(maybe($0, $1)) }
      }
    case (.handlers, .record(let id)):
      return try await waited { done in
        container.discoverUserIdentity(withUserRecordID: id) { done(maybe($0, $1)) }
      }
    case (.operations, _): return try await Self.discovered([known.info], container)[known.info]
    case (.async, .email(let address)):
      return try await container.userIdentity(forEmailAddress: address)
    case (.async, .phone(let number)):
      return try await container.userIdentity(forPhoneNumber: number)
    case (.async, .record(let id)):
      return try await container.userIdentity(forUserRecordID: id)
    }
  }

  /// Who is found, by an operation. Its two forms of the end must agree.
  @available(*, deprecated, message: "tests what is deprecated")
  static func discovered(
    _ infos: [CKUserIdentity.LookupInfo], _ container: CKContainer
  ) async throws -> [CKUserIdentity.LookupInfo: CKUserIdentity] {
    try await waited { done in
      let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: infos)
      var found: [CKUserIdentity.LookupInfo: CKUserIdentity] = [:]
      var result: Result<Void, any Error>?
      operation.userIdentityDiscoveredBlock = { found[$1] = $0 }
      operation.discoverUserIdentitiesResultBlock = { result = $0 }
      operation.discoverUserIdentitiesCompletionBlock = { error in
        guard let result, (result.failure == nil) == (error == nil) else {
          return done(.failure(UnexpectedSuccess()))
        }
        done(result.map { found })
      }
      container.add(operation)
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  private static func discovered<Key: Hashable>(
    _ infos: [CKUserIdentity.LookupInfo], by key: KeyPath<CKUserIdentity.LookupInfo, Key?>,
    _ container: CKContainer
  ) async throws -> [Key: CKUserIdentity] {
    Dictionary(
      uniqueKeysWithValues: try await discovered(infos, container).compactMap { info, identity in
        info[keyPath: key].map { ($0, identity) }
      })
  }

  @available(*, deprecated, message: "tests what is deprecated")
  func identities(
    ofAddresses addresses: [String], _ container: CKContainer
  ) async throws -> [String: CKUserIdentity] {
    switch self {
    case .handlers:
      return try await waited {
        container.discoverUserIdentities(forEmailAddresses: addresses, completionHandler: $0)
      }
    case .operations:
      let infos = CKUserIdentity.LookupInfo.lookupInfos(withEmails: addresses)
      return try await Self.discovered(infos, by: \.emailAddress, container)
    case .async: return try await container.userIdentities(forEmailAddresses: addresses)
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  func identities(
    ofNumbers numbers: [String], _ container: CKContainer
  ) async throws -> [String: CKUserIdentity] {
    switch self {
    case .handlers:
      return try await waited {
        container.discoverUserIdentities(forPhoneNumbers: numbers, completionHandler: $0)
      }
    case .operations:
      let infos = CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: numbers)
      return try await Self.discovered(infos, by: \.phoneNumber, container)
    case .async: return try await container.userIdentities(forPhoneNumbers: numbers)
    }
  }

  @available(*, deprecated, message: "tests what is deprecated")
  func identities(
    ofRecords ids: [CKRecord.ID], _ container: CKContainer
  ) async throws -> [CKRecord.ID: CKUserIdentity] {
    switch self {
    case .handlers:
      return try await waited {
        container.discoverUserIdentities(forUserRecordIDs: ids, completionHandler: $0)
      }
    case .operations:
      let infos = CKUserIdentity.LookupInfo.lookupInfos(with: ids)
      return try await Self.discovered(infos, by: \.userRecordID, container)
    case .async: return try await container.userIdentities(forUserRecordIDs: ids)
    }
  }

  /// Whom one shares with.
  @available(*, deprecated, message: "tests what is deprecated")
  func contacts(_ container: CKContainer) async throws -> [CKUserIdentity] {
    switch self {
    case .handlers:
      return try await waited { done in
        container.discoverAllIdentities { done(either($0, $1)) }
      }
    case .operations:
      return try await waited { done in
        let operation = CKDiscoverAllUserIdentitiesOperation()
        var found: [CKUserIdentity] = []
        operation.userIdentityDiscoveredBlock = { found.append($0) }
        var result: Result<Void, any Error>?
        operation.discoverAllUserIdentitiesResultBlock = { result = $0 }
        operation.discoverAllUserIdentitiesCompletionBlock = { error in
          let agree = result.map { ($0.failure == nil) == (error == nil) } ?? false
          done(
            agree ? error.map { .failure($0) } ?? .success(found) : .failure(UnexpectedSuccess()))
        }
        container.add(operation)
      }
    case .async: return try await container.allUserIdentitiesFromContacts()
    }
  }
}

/// A handler's value that may be missing without an error.
private func maybe<Value>(
  _ value: Value?, _ error: (any Error)?
) -> Result<Value?, any Error> {
  error.map { .failure($0) } ?? .success(value)
}
