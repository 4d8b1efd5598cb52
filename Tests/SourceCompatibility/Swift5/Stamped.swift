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

/// A zone that counts how often it is archived, and says more of itself.
final class CountedZone: CKRecordZone, @unchecked Sendable {
  private(set) var archived = 0

  override class var supportsSecureCoding: Bool { true }
  override func encode(with coder: NSCoder) {
    archived += 1
    super.encode(with: coder)
  }
  override var description: String { "counted " + super.description }
}

/// IDs and references that are equal without regard to case.
final class LooseID: CKRecord.ID, @unchecked Sendable {
  override func isEqual(_ object: Any?) -> Bool {
    (object as? CKRecord.ID)?.recordName.lowercased() == recordName.lowercased()
  }
  override var hash: Int { recordName.lowercased().hash }
}

final class LooseReference: CKRecord.Reference, @unchecked Sendable {
  override var description: String { "to " + recordID.recordName }
}

/// A question that is asked in one order, whatever anybody sets.
final class NewestFirst: CKQuery, @unchecked Sendable {
  override var sortDescriptors: [NSSortDescriptor]? {
    get { [NSSortDescriptor(key: "creationDate", ascending: false)] }
    set {}
  }
}

final class NearestFirst: CKLocationSortDescriptor {}
