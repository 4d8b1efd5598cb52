// Written here: files that import one part of the framework, as old code does, and get all of it.

import CloudKit.CKDatabase
import CloudKit.CKRecord
import Foundation

/// A thing that a record can be made of.
protocol HabitRecord {
  init?(record: CKRecord)
  var record: CKRecord { get }
}

struct HabitNote: HabitRecord {
  var name: String

  init?(record: CKRecord) {
    guard let name = record["name"] as? String else { return nil }
    self.name = name
  }

  var record: CKRecord {
    let record = CKRecord(recordType: "HabitNote")
    record["name"] = name
    return record
  }
}

extension CKDatabase {
  func keep(_ note: HabitNote, completion: @escaping (CKRecord?, Error?) -> Void) {
    save(note.record, completionHandler: completion)
  }
}
