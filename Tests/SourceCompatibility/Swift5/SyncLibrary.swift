// Written for this suite, in the shape of the sync libraries that people share: a protocol in front of
// the database so that tests can replace it, an actor that keeps tokens and system fields as data, one
// place that judges errors, and operations where several zones are fetched at once.

import CloudKit
import Foundation

// MARK: A database that tests can replace

protocol CloudDatabase: AnyObject, Sendable {
  var databaseScope: CKDatabase.Scope { get }
  func record(for recordID: CKRecord.ID) async throws -> CKRecord
  func records(
    for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]?
  ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>]
  func modifyRecords(
    saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy, atomically: Bool
  ) async throws -> (
    saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
    deleteResults: [CKRecord.ID: Result<Void, any Error>]
  )
  func modifyRecordZones(
    saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
  ) async throws -> (
    saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
    deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
  )
  func add(_ operation: CKDatabaseOperation)
}

extension CKDatabase: CloudDatabase {}

protocol CloudContainer: AnyObject, Sendable {
  associatedtype Database: CloudDatabase
  var containerIdentifier: String? { get }
  var privateCloudDatabase: Database { get }
  var sharedCloudDatabase: Database { get }
  func accountStatus() async throws -> CKAccountStatus
  func shareMetadata(for url: URL) async throws -> CKShare.Metadata
  @discardableResult func accept(_ metadata: CKShare.Metadata) async throws -> CKShare
}

extension CKContainer: CloudContainer {}

// MARK: What is kept on the device

struct SyncState: Codable, Sendable {
  var databaseToken: Data?
  var zoneTokens: [String: Data] = [:]
  var systemFields: [String: Data] = [:]
}

extension CKRecord {
  var systemFieldsData: Data {
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    encodeSystemFields(with: coder)
    coder.finishEncoding()
    return coder.encodedData
  }

  convenience init?(systemFieldsData data: Data) {
    guard let coder = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
    coder.requiresSecureCoding = true
    self.init(coder: coder)
    coder.finishDecoding()
  }
}

extension CKServerChangeToken {
  var data: Data? {
    try? NSKeyedArchiver.archivedData(withRootObject: self, requiringSecureCoding: true)
  }
  static func token(_ data: Data?) -> CKServerChangeToken? {
    data.flatMap { try? NSKeyedUnarchiver.unarchivedObject(ofClass: Self.self, from: $0) }
  }
}

// MARK: One place that judges errors

enum Verdict: Equatable, Sendable {
  case retry(after: TimeInterval)
  case merge
  case recreateZone
  case startOver
  case split
  case waitForAccount
  case forget
  case giveUp
}

func verdict(_ error: any Error) -> Verdict {
  guard let error = error as? CKError else { return .giveUp }
  if let seconds = error.retryAfterSeconds { return .retry(after: seconds) }
  switch error.code {
  case .networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited, .zoneBusy,
    .serverResponseLost:
    return .retry(after: 3)
  case .serverRecordChanged: return .merge
  case .zoneNotFound, .userDeletedZone: return .recreateZone
  case .changeTokenExpired: return .startOver
  case .limitExceeded: return .split
  case .notAuthenticated, .accountTemporarilyUnavailable: return .waitForAccount
  case .unknownItem: return .forget
  case .batchRequestFailed, .partialFailure: return .retry(after: 0)
  case .internalError, .badContainer, .missingEntitlement, .permissionFailure, .invalidArguments,
    .serverRejectedRequest, .assetFileNotFound, .assetFileModified, .assetNotAvailable,
    .incompatibleVersion, .constraintViolation, .operationCancelled, .badDatabase, .quotaExceeded,
    .tooManyParticipants, .alreadyShared, .referenceViolation, .managedAccountRestricted,
    .participantMayNeedVerification, .participantAlreadyInvited, .resultsTruncated:
    return .giveUp
  @unknown default: return .giveUp
  }
}

// MARK: The engine of such a library

actor SyncCoordinator<Database: CloudDatabase> {
  private let database: Database
  private(set) var state: SyncState
  private var accountChanges: Task<Void, Never>?

  init(database: Database, state: SyncState = SyncState()) {
    self.database = database
    self.state = state
  }

  func push(_ edits: [CKRecord.ID: String], type: CKRecord.RecordType) async throws -> [CKRecord.ID]
  {
    let records = Self.records(edits, type, state.systemFields)
    let (saved, _) = try await database.modifyRecords(
      saving: records, deleting: [], savePolicy: .ifServerRecordUnchanged, atomically: true)
    var conflicts: [CKRecord.ID] = []
    for (id, result) in saved {
      switch result {
      case .success(let record): state.systemFields[id.recordName] = record.systemFieldsData
      case .failure(let error):
        if let server = (error as? CKError)?.serverRecord, verdict(error) == .merge {
          state.systemFields[id.recordName] = server.systemFieldsData
          conflicts.append(id)
        }
      }
    }
    return conflicts
  }

  /// Made outside of the actor, so that the records can be handed to the database.
  private static func records(
    _ edits: [CKRecord.ID: String], _ type: CKRecord.RecordType, _ known: [String: Data]
  ) -> [CKRecord] {
    edits.map { id, title in
      let kept = known[id.recordName].flatMap { CKRecord(systemFieldsData: $0) }
      let record = kept ?? CKRecord(recordType: type, recordID: id)
      record["title"] = title
      record.encryptedValues["note"] = title
      return record
    }
  }

  func pull(_ zones: [CKRecordZone.ID]) async throws -> [String] {
    let configurations = Dictionary(
      uniqueKeysWithValues: zones.map { zone in
        (
          zone,
          CKFetchRecordZoneChangesOperation.ZoneConfiguration(
            previousServerChangeToken: .token(state.zoneTokens[zone.zoneName]), resultsLimit: 100)
        )
      })
    let (names, tokens) = try await Self.fetch(zones, configurations, database)
    for (zone, data) in tokens { state.zoneTokens[zone] = data }
    return names
  }

  private static func fetch(
    _ zones: [CKRecordZone.ID],
    _ configurations: [CKRecordZone.ID: CKFetchRecordZoneChangesOperation.ZoneConfiguration],
    _ database: Database
  ) async throws -> (names: [String], tokens: [String: Data]) {
    try await withCheckedThrowingContinuation { continuation in
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: zones, configurationsByRecordZoneID: configurations)
      var names: [String] = []
      var tokens: [String: Data] = [:]
      operation.fetchAllChanges = true
      operation.qualityOfService = .utility
      operation.recordWasChangedBlock = { id, result in
        if case .success = result { names.append(id.recordName) }
      }
      operation.recordWithIDWasDeletedBlock = { id, _ in names.removeAll { $0 == id.recordName } }
      operation.recordZoneFetchResultBlock = { zone, result in
        if case .success(let (token, _, _)) = result { tokens[zone.zoneName] = token.data }
      }
      operation.fetchRecordZoneChangesResultBlock = { result in
        continuation.resume(with: result.map { (names, tokens) })
      }
      let group = CKOperationGroup()
      group.name = "pull"
      group.expectedReceiveSize = .kilobytes
      operation.group = group
      database.add(operation)
    }
  }

  func watchAccount(of container: CKContainer) {
    let (changes, changed) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: nil, queue: nil
    ) { _ in changed.yield() }
    accountChanges = Task { [weak self] in
      for await _ in changes {
        guard (try? await container.accountStatus()) != .available else { continue }
        await self?.reset()
      }
    }
  }

  func reset() { state = SyncState() }
}
