// Small things that apps write without thinking, and that Linux's Foundation does not have.

import CloudKit
import Foundation

func newestFirst(_ recordType: CKRecord.RecordType) -> CKQuery {
  let query = CKQuery(recordType: recordType, predicate: NSPredicate(value: true))
  query.sortDescriptors = [
    NSSortDescriptor(keyPath: \CKRecord.modificationDate, ascending: false),
    .init(key: "title", ascending: true),
  ]
  return query
}

/// A flag and a token beside an app's other settings.
struct SyncSettings {
  let defaults: UserDefaults

  var isSubscribed: Bool {
    get { defaults.value(forKey: "isSubscribed") as? Bool ?? false }
    nonmutating set { defaults.setValue(newValue, forKey: "isSubscribed") }
  }
}

func impatient(_ operation: CKDatabaseOperation) {
  operation.configuration.timeoutIntervalForRequest = 15
  operation.configuration.qualityOfService = .userInitiated
}

func names(in share: CKShare) -> [String] {
  share.participants.compactMap { $0.userIdentity.nameComponents?.formatted() }
}

/// A share that was archived beside an app's own things.
func share(from archive: Data) throws -> CKShare {
  let reader = try NSKeyedUnarchiver(forReadingFrom: archive)
  reader.requiresSecureCoding = true
  defer { reader.finishDecoding() }
  return CKShare(coder: reader)
}

/// Fields handed on as they were read, to a function that takes any value of a record.
func texts(of record: CKRecord, by text: (CKRecordValue?) -> String) -> [String] {
  record.allKeys().map { key in
    let value = record[key]
    return text(value)
  }
}
