// Written here: how apps put something of their own in the place of the framework in their tests:
// protocols that the framework's classes are declared to have, initializers of their own, subclasses.

import CloudKit
import Foundation

// MARK: Protocols, whose handlers say nothing about tasks

protocol AnyDatabase {
  func save(_ record: CKRecord, completionHandler: @escaping (CKRecord?, Error?) -> Void)
  func save(_ zone: CKRecordZone, completionHandler: @escaping (CKRecordZone?, Error?) -> Void)
  func save(
    _ subscription: CKSubscription, completionHandler: @escaping (CKSubscription?, Error?) -> Void)
  func fetch(
    withRecordID recordID: CKRecord.ID, completionHandler: @escaping (CKRecord?, Error?) -> Void)
  func delete(
    withRecordID recordID: CKRecord.ID, completionHandler: @escaping (CKRecord.ID?, Error?) -> Void)
  func perform(
    _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
    completionHandler: @escaping ([CKRecord]?, Error?) -> Void)
  func fetchAllRecordZones(completionHandler: @escaping ([CKRecordZone]?, Error?) -> Void)
  func fetchAllSubscriptions(completionHandler: @escaping ([CKSubscription]?, Error?) -> Void)
  func add(_ operation: CKDatabaseOperation)
}
extension CKDatabase: AnyDatabase {}

/// The same with handlers that may be called from another task.
protocol AnyCarefulDatabase {
  func save(_ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, Error?) -> Void)
  func delete(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping @Sendable (CKRecordZone.ID?, Error?) -> Void)
}
extension CKDatabase: AnyCarefulDatabase {}

protocol AnyContainer {
  init(identifier: String)
  var privateCloudDatabase: CKDatabase { get }
  func accountStatus(completionHandler: @escaping (CKAccountStatus, Error?) -> Void)
  func fetchUserRecordID(completionHandler: @escaping (CKRecord.ID?, Error?) -> Void)
  func accept(_ metadata: CKShare.Metadata, completionHandler: @escaping (CKShare?, Error?) -> Void)
}
extension CKContainer: AnyContainer {}

/// A handler that an app hands on, and one that is written on the main actor.
@MainActor final class SaveButton {
  private(set) var isSaved = false

  func tap(_ database: CKDatabase, _ record: CKRecord) {
    database.save(record) { saved, _ in
      let isSaved = saved != nil
      Task { @MainActor in self.isSaved = isSaved }
    }
  }
}

func handOn(_ database: CKDatabase, _ end: @escaping (CKRecord?, Error?) -> Void) {
  database.fetch(withRecordID: CKRecord.ID(recordName: "a"), completionHandler: end)
}

// MARK: Initializers of an app

extension CKContainer {
  convenience init(app name: String) {
    self.init(identifier: "iCloud." + name)
  }

  class func app(_ name: String) -> Self { Self(identifier: "iCloud." + name) }
}

// MARK: Subclasses

class CountingContainer: CKContainer, @unchecked Sendable {
  override var containerIdentifier: String? { "counted" }
  override func add(_ operation: CKOperation) { operation.cancel() }
}

/// Made by nobody here: on Apple's systems only Objective-C's runtime makes one, on Linux nothing does.
class StubDatabase: CKDatabase, @unchecked Sendable {
  override var databaseScope: CKDatabase.Scope { .shared }
  override func add(_ operation: CKDatabaseOperation) {}
}

final class StubToken: CKServerChangeToken, @unchecked Sendable {}

final class StubCursor: CKQueryOperation.Cursor, @unchecked Sendable {}

final class StubNotificationID: CKNotification.ID, @unchecked Sendable {}

final class StubLookup: CKUserIdentity.LookupInfo, @unchecked Sendable {
  override var emailAddress: String? { "a@example.com" }
}

final class StubIdentity: CKUserIdentity, @unchecked Sendable {
  override var nameComponents: PersonNameComponents? { PersonNameComponents() }
}

final class StubParticipant: CKShare.Participant, @unchecked Sendable {
  override var acceptanceStatus: CKShare.ParticipantAcceptanceStatus { .accepted }
}

final class StubMetadata: CKShare.Metadata, @unchecked Sendable {
  override var participantStatus: CKShare.ParticipantAcceptanceStatus { .pending }
  override var containerIdentifier: String { "iCloud.org.example.stub" }
}

final class StubAsset: CKAsset, @unchecked Sendable {
  override var fileURL: URL? { URL(fileURLWithPath: "/dev/null") }
}

// MARK: The same name on values and on what a field holds

protocol Listed { var listed: String { get } }
extension Listed { var listed: String { "\(self)" } }
extension Int64: Listed {}
extension String: Listed {}
extension Date: Listed {}

extension __CKRecordObjCValue {
  var listed: String {
    if let number = self as? Int64 { return number.listed }
    if let text = self as? String { return text.listed }
    if let date = self as? Date { return date.listed }
    return ""
  }
}

func listing(_ record: CKRecord) -> [String] {
  record.allKeys().sorted().map { (record[$0]?.listed ?? "") }
}

func written(_ value: Any, under key: String, in record: CKRecord) {
  record.setObject("text" as CKRecordValue, forKey: "title")
  record.setObject(value as? CKRecordValue, forKey: key)
  record[key] = value as? CKRecordValue
  record.encryptedValues["secret"] = "word" as CKRecordValue
}

func texts(_ record: CKRecord) -> [String] {
  let values: [String: CKRecordValue] = ["one": "1" as CKRecordValue]
  for (key, value) in values { record[key] = value }
  return [
    record.object(forKey: "one") as? String, record["one"] as? String,
    record.encryptedValues["secret"] as? String, record["one"],
  ].compactMap { $0 }
}
