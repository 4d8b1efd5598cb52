// `NSSortDescriptor(key:ascending:)`, which Foundation on Linux marks unavailable. The key hides in
// a key path of ours: a subscript whose argument is the key, and whose value is it again.

import BrumeModel
import BrumePredicate
public import Foundation

struct SortKeys {
  subscript(key key: String) -> String { key }
}

#if !canImport(ObjectiveC)
  extension NSSortDescriptor {
    /// Sorts by a field.
    public convenience init(key: String?, ascending: Bool) {
      self.init(keyPath: \SortKeys[key: key ?? ""], ascending: ascending)
    }

    /// The field to sort by; nil for a descriptor that was made with a key path of something else than
    /// records.
    public var key: String? { fieldKey }

    /// Sorts by a date of records: `creationDate` or `modificationDate`. The query refuses others;
    /// fields have keys.
    public convenience init(keyPath: KeyPath<CKRecord, Date?>, ascending: Bool) {
      self.init(key: CKRecord.systemKeys[keyPath], ascending: ascending)
    }

    /// Sorts by the ID of records.
    public convenience init(keyPath: KeyPath<CKRecord, CKRecord.ID>, ascending: Bool) {
      self.init(key: CKRecord.systemKeys[keyPath], ascending: ascending)
    }

    /// Sorts by who made records, or changed them last.
    public convenience init(keyPath: KeyPath<CKRecord, CKRecord.ID?>, ascending: Bool) {
      self.init(key: CKRecord.systemKeys[keyPath], ascending: ascending)
    }
  }

  extension CKRecord {
    fileprivate static var systemKeys: [PartialKeyPath<CKRecord>: String] {
      [
        \.creationDate: "creationDate", \.modificationDate: "modificationDate",
        \.recordID: "recordID", \.creatorUserRecordID: "creatorUserRecordID",
        \.lastModifiedUserRecordID: "lastModifiedUserRecordID",
      ]
    }
  }
#endif

extension NSSortDescriptor {
  /// The field to sort by.
  var fieldKey: String? {
    #if canImport(ObjectiveC)
      return key
    #else
      return (keyPath as? KeyPath<SortKeys, String>).map { SortKeys()[keyPath: $0] }
    #endif
  }

  /// The sort criterion that the server understands.
  func model() throws -> Sort {
    guard let key = fieldKey, !key.isEmpty else {
      throw CKError(
        .invalidArguments,
        "a sort descriptor names no field; make it with NSSortDescriptor(key:ascending:)")
    }
    let location = (self as? CKLocationSortDescriptor).map { Location($0.relativeLocation) }
    do {
      let field = try FieldName(keyPath: key)
      return Sort(field, ascending: ascending, relativeLocation: location)
    } catch {
      throw CKError(.invalidArguments, error.reason)
    }
  }
}
