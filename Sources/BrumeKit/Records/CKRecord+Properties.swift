// What a record keeps beside its public properties. All is in its `Contents`, behind one lock.

import Foundation

extension CKRecord {
  var parentReference: CKRecord.Reference? {
    get { contents.parent }
    set { change { $0.parent = newValue } }
  }
  var parentChanged: Bool {
    get { contents.parentChanged }
    set { change { $0.parentChanged = newValue } }
  }
  var fields: [FieldKey: any __CKRecordObjCValue] {
    get { contents.fields }
    set { change { $0.fields = newValue } }
  }
  /// The keys of fields that are kept encrypted.
  var encryptedKeys: Set<FieldKey> {
    get { contents.encryptedKeys }
    set { change { $0.encryptedKeys = newValue } }
  }
  var changes: Set<FieldKey> {
    get { contents.changes }
    set { change { $0.changes = newValue } }
  }
}
