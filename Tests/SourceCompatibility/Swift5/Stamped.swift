// Written here: records as an app's own tests make them, which say what only a server could.

import CloudKit
import Foundation

/// A record that looks saved.
final class SavedRecord: CKRecord, @unchecked Sendable {
  override var recordChangeTag: String? { "saved" }
}

/// A record that looks saved at a certain time, made of another one.
final class StampedRecord: CKRecord, @unchecked Sendable {
  let stamp: Date

  init(_ record: CKRecord, at stamp: Date) throws {
    self.stamp = stamp
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    record.encode(with: archiver)
    archiver.finishEncoding()
    let reader = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    super.init(coder: reader)!
  }

  required init?(coder: NSCoder) { nil }

  override var modificationDate: Date? { stamp }
  override var creationDate: Date? { stamp }
  override var creatorUserRecordID: CKRecord.ID? { CKRecord.ID(recordName: "somebody") }
}

/// A zone that can do everything.
final class AbleZone: CKRecordZone, @unchecked Sendable {
  override var capabilities: CKRecordZone.Capabilities { [.fetchChanges, .atomic, .sharing] }
}
