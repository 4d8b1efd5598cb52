// Written for this suite: sharing as apps do it, in callbacks and in async calls, and user interface
// glue without user interface.

import CloudKit
import Foundation

final class SharingController: NSObject {
  private let container: CKContainer
  private lazy var observer = CKSystemSharingUIObserver(container: container)

  init(container: CKContainer = .default()) {
    self.container = container
    super.init()
  }

  /// A new share with its root, and one that exists already.
  func share(for root: CKRecord) async throws -> CKShare {
    let database = container.privateCloudDatabase
    if let reference = root.share,
      let existing = try await database.record(for: reference.recordID) as? CKShare
    {
      return existing
    }
    let share = CKShare(rootRecord: root)
    share[CKShare.SystemFieldKey.title] = "Trip" as CKRecordValue
    share[CKShare.SystemFieldKey.thumbnailImageData] = Data() as CKRecordValue
    share.publicPermission = .none
    _ = try await database.modifyRecords(saving: [root, share], deleting: [])
    return share
  }

  func invite(_ emails: [String], to share: CKShare) async throws {
    for case .success(let participant) in try await container.shareParticipants(
      forEmailAddresses: emails
    ).values {
      participant.permission = .readWrite
      participant.role = .privateUser
      share.addParticipant(participant)
    }
    if #available(macOS 15.0, iOS 18.0, *) {
      share.addParticipant(.oneTimeURLParticipant())
    }
    try await container.privateCloudDatabase.save(share)
  }

  func answer(_ share: CKShare) async throws {
    share.allowsAccessRequests = true
    for requester in share.requesters {
      let info = requester.participantLookupInfo
      let found = try await container.shareParticipants(for: [info])
      if case .success(let participant)? = found[info] { share.addParticipant(participant) }
      print(requester.contact.givenName, requester.userIdentity.hasiCloudAccount)
    }
    share.unblockIdentities(share.blockedIdentities)
    try await container.privateCloudDatabase.save(share)
  }

  /// The older way, with operations and completion blocks.
  func accept(_ url: URL, completion: @escaping (Result<CKShare, Error>) -> Void) {
    let fetch = CKFetchShareMetadataOperation(shareURLs: [url])
    fetch.shouldFetchRootRecord = true
    fetch.perShareMetadataResultBlock = { _, result in
      guard case .success(let metadata) = result else { return }
      let accept = CKAcceptSharesOperation(shareMetadatas: [metadata])
      accept.perShareResultBlock = { _, result in completion(result) }
      CKContainer(identifier: metadata.containerIdentifier).add(accept)
    }
    fetch.fetchShareMetadataResultBlock = { result in
      if case .failure(let error) = result { completion(.failure(error)) }
    }
    fetch.qualityOfService = .userInitiated
    container.add(fetch)
  }

  func describe(_ participant: CKShare.Participant) -> String {
    let name = participant.userIdentity.nameComponents.map {
      [$0.givenName, $0.familyName].compactMap { $0 }.joined(separator: " ")
    }
    let who = name ?? participant.userIdentity.lookupInfo?.emailAddress ?? "somebody"
    switch participant.acceptanceStatus {
    case .pending: return "\(who) is invited"
    case .accepted: return participant.permission == .readWrite ? "\(who) edits" : "\(who) reads"
    case .removed: return "\(who) left"
    case .unknown: return who
    @unknown default: return who
    }
  }

  func watchSheets() {
    observer.systemSharingUIDidSaveShareBlock = { id, result in
      if case .success(let share) = result { print(id.recordName, share.url as Any) }
    }
    observer.systemSharingUIDidStopSharingBlock = { id, _ in print(id.recordName) }
  }

  var options: CKAllowedSharingOptions {
    let options = CKAllowedSharingOptions(
      allowedParticipantPermissionOptions: [.readOnly, .readWrite],
      allowedParticipantAccessOptions: .specifiedRecipientsOnly)
    options.allowsAccessRequests = true
    return options
  }
}
