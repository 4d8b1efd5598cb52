// The ways in which apps invite people, look behind a share's URL and accept: completion handlers,
// operations and async calls.

import BrumeKit
import Foundation

extension APIStyle {
  /// Somebody to invite.
  func participant(
    _ known: Known, _ container: CKContainer
  ) async throws -> CKShare.Participant {
    switch (self, known) {
    case (.handlers, .email(let address)):
      return try await waited { done in
        container.fetchShareParticipant(withEmailAddress: address) { done(either($0, $1)) }
      }
    case (.handlers, .phone(let number)):
      return try await waited { done in
        container.fetchShareParticipant(withPhoneNumber: number) { done(either($0, $1)) }
      }
    case (.handlers, .record(let id)):
      return try await waited { done in
        container.fetchShareParticipant(withUserRecordID: id) { done(either($0, $1)) }
      }
    case (.operations, _): return try await Self.invited(known.info, container)
    case (.async, .email(let address)):
      return try await container.shareParticipant(forEmailAddress: address)
    case (.async, .phone(let number)):
      return try await container.shareParticipant(forPhoneNumber: number)
    case (.async, .record(let id)):
      return try await container.shareParticipant(forUserRecordID: id)
    }
  }

  /// By the older blocks, which do not say for whom.
  private static func invited(
    _ info: CKUserIdentity.LookupInfo, _ container: CKContainer
  ) async throws -> CKShare.Participant {
    try await waited { done in
      let operation = CKFetchShareParticipantsOperation(userIdentityLookupInfos: [info])
      var found: CKShare.Participant?
      operation.shareParticipantFetchedBlock = { found = $0 }
      operation.fetchShareParticipantsCompletionBlock = { done(either(found, $0)) }
      container.add(operation)
    }
  }

  /// Many to invite, by address, number and record; each way has a call for each of the three.
  func participants(
    addresses: [String], numbers: [String], records: [CKRecord.ID], _ container: CKContainer
  ) async throws -> [CKUserIdentity?] {
    let all: [[Result<CKShare.Participant, any Error>?]]
    switch self {
    case .handlers:
      let byAddress: [String: Result<CKShare.Participant, any Error>] = try await waited {
        container.fetchShareParticipants(forEmailAddresses: addresses, completionHandler: $0)
      }
      let byNumber: [String: Result<CKShare.Participant, any Error>] = try await waited {
        container.fetchShareParticipants(forPhoneNumbers: numbers, completionHandler: $0)
      }
      let byRecord: [CKRecord.ID: Result<CKShare.Participant, any Error>] = try await waited {
        container.fetchShareParticipants(forUserRecordIDs: records, completionHandler: $0)
      }
      all = [
        addresses.map { byAddress[$0] }, numbers.map { byNumber[$0] }, records.map { byRecord[$0] },
      ]
    case .operations:
      let infos =
        CKUserIdentity.LookupInfo.lookupInfos(withEmails: addresses)
        + CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: numbers)
        + CKUserIdentity.LookupInfo.lookupInfos(with: records)
      let found: [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] =
        try await waited { done in
          let operation = CKFetchShareParticipantsOperation(userIdentityLookupInfos: infos)
          var results: [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] = [:]
          operation.perShareParticipantResultBlock = { results[$0] = $1 }
          operation.fetchShareParticipantsResultBlock = { done($0.map { results }) }
          container.add(operation)
        }
      all = [infos.map { found[$0] }]
    case .async:
      let byAddress = try await container.shareParticipants(forEmailAddresses: addresses)
      let byNumber = try await container.shareParticipants(forPhoneNumbers: numbers)
      let byRecord = try await container.shareParticipants(forUserRecordIDs: records)
      all = [
        addresses.map { byAddress[$0] }, numbers.map { byNumber[$0] }, records.map { byRecord[$0] },
      ]
    }
    return try all.joined().map { try $0?.get().userIdentity }
  }

  /// What is behind a URL.
  func metadata(_ url: URL, _ container: CKContainer) async throws -> CKShare.Metadata {
    switch self {
    case .handlers:
      return try await waited { done in
        container.fetchShareMetadata(with: url) { done(either($0, $1)) }
      }
    case .operations:
      return try await waited { done in
        let operation = CKFetchShareMetadataOperation(shareURLs: [url])
        var one: (CKShare.Metadata?, (any Error)?)
        operation.perShareMetadataBlock = { one = ($1, $2) }
        operation.fetchShareMetadataCompletionBlock = { done(either(one.0, one.1 ?? $0)) }
        container.add(operation)
      }
    case .async: return try await container.shareMetadata(for: url)
    }
  }

  func metadatas(
    _ urls: [URL], _ container: CKContainer
  ) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
    switch self {
    case .handlers:
      return try await waited { container.fetchShareMetadatas(for: urls, completionHandler: $0) }
    case .operations:
      return try await waited { done in
        let operation = CKFetchShareMetadataOperation(shareURLs: urls)
        var results: [URL: Result<CKShare.Metadata, any Error>] = [:]
        operation.perShareMetadataResultBlock = { results[$0] = $1 }
        operation.fetchShareMetadataResultBlock = { done($0.map { results }) }
        container.add(operation)
      }
    case .async: return try await container.shareMetadatas(for: urls)
    }
  }

  func accept(_ metadata: CKShare.Metadata, _ container: CKContainer) async throws -> CKShare {
    switch self {
    case .handlers:
      return try await waited { done in container.accept(metadata) { done(either($0, $1)) } }
    case .operations:
      return try await waited { done in
        let operation = CKAcceptSharesOperation(shareMetadatas: [metadata])
        var (one, result) = (
          nil as (CKShare?, (any Error)?)?, nil as Result<Void, any Error>?
        )
        operation.perShareCompletionBlock = { one = ($1, $2) }
        operation.acceptSharesResultBlock = { result = $0 }
        operation.acceptSharesCompletionBlock = {
          let own = one?.1 ?? $0 ?? result?.failure
          done(either(one?.0, own))
        }
        container.add(operation)
      }
    case .async: return try await container.accept(metadata)
    }
  }
}
