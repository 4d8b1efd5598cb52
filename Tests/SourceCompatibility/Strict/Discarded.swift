// Calls whose answers an app has no use for, as statements. A warning about one is an error here.

import CloudKit
import Foundation

/// Asks for everything that may be cached, so that it is there later.
func askAhead(_ container: CKContainer, _ share: URL, _ friend: CKRecord.ID) async throws {
  try await container.accountStatus()
  try await container.userRecordID()
  try await container.allLongLivedOperationIDs()
  try await container.longLivedOperation(for: "upload")
  try await container.shareMetadata(for: share)
  try await container.shareParticipant(forEmailAddress: "bob@example.org")
  try await container.shareParticipant(forPhoneNumber: "+15550100")
  try await container.shareParticipant(forUserRecordID: friend)
}

@available(*, deprecated, message: "uses what is deprecated")
func findAhead(_ container: CKContainer, _ friend: CKRecord.ID) async throws {
  try await container.requestApplicationPermission(.userDiscoverability)
  try await container.applicationPermissionStatus(for: .userDiscoverability)
  try await container.allUserIdentitiesFromContacts()
  try await container.userIdentity(forEmailAddress: "bob@example.org")
  try await container.userIdentity(forPhoneNumber: "+15550100")
  try await container.userIdentity(forUserRecordID: friend)
}

/// Saves with little time, and what was saved is of no interest.
func saveSoon(_ record: CKRecord, in container: CKContainer) async throws {
  let settings = CKOperation.Configuration()
  settings.timeoutIntervalForRequest = 15
  let database = container.privateCloudDatabase
  try await database.configuredWith(configuration: settings) { try await $0.save(record) }
  try await container.configuredWith(configuration: settings) { try await $0.userRecordID() }
}

/// The same without waiting.
func addSoon(_ operation: CKDatabaseOperation, to container: CKContainer) {
  container.configuredWith { configured -> String in
    configured.add(operation)
    return operation.operationID
  }
  container.privateCloudDatabase.configuredWith { configured -> String in
    configured.add(operation)
    return operation.operationID
  }
}
