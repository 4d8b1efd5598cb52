// References between records.

public import Foundation

extension CKRecord {

  /// What happens to a record when the record that it refers to is deleted.
  public enum ReferenceAction: UInt, Sendable {
    /// Nothing: the reference dangles.
    case none = 0
    /// The referring record is deleted too.
    case deleteSelf = 1
  }
}

/// The older name of ``CKRecord/ReferenceAction``.
@available(*, deprecated, renamed: "CKRecord.ReferenceAction")
public typealias CKRecord_Reference_Action = CKRecord.ReferenceAction

extension CKRecord {
  /// The class behind ``CKRecord/Reference``: a pointer to another record of the same database.
  // Sendable because every stored property is constant.
  open class Reference: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable,
    __CKRecordObjCValue
  {
    /// The older name of ``CKRecord/ReferenceAction``.
    @available(*, deprecated, renamed: "CKRecord.ReferenceAction")
    public typealias Action = CKRecord.ReferenceAction

    /// What happens to the holder when the target is deleted.
    public let action: CKRecord.ReferenceAction
    /// The target.
    public let recordID: CKRecord.ID

    /// Refers to a record by its ID.
    public init(recordID: CKRecord.ID, action: CKRecord.ReferenceAction) {
      self.recordID = recordID
      self.action = action
    }

    /// Refers to a record.
    public convenience init(record: CKRecord, action: CKRecord.ReferenceAction) {
      self.init(recordID: record.recordID, action: action)
    }

    /// Reads a reference from an archive.
    public required init?(coder: NSCoder) {
      let isApples = coder.containsValue(forKey: AppleKey.recordID)
      let actionKey = isApples ? AppleKey.referenceAction : "action"
      guard let id = coder.object(CKRecord.ID.self, isApples ? AppleKey.recordID : "recordID"),
        let action = CKRecord.ReferenceAction(
          rawValue: UInt(bitPattern: coder.decodeInteger(forKey: actionKey)))
      else { return nil }
      recordID = id
      self.action = action
    }

    /// Writes the reference into an archive.
    open func encode(with coder: NSCoder) {
      coder.encode(recordID, forKey: "recordID")
      coder.encode(Int(action.rawValue), forKey: "action")
    }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      public override var classForCoder: AnyClass { ArchivedReference.self }
    #endif

    /// The reference itself: it cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether two are equal.
    open override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? CKRecord.Reference else { return false }
      return recordID == other.recordID && action == other.action
    }

    /// A hash that agrees with ``isEqual(_:)``.
    open override var hash: Int { recordID.hash }

    /// A text for logs and debuggers.
    open override var description: String {
      "<CKReference: recordID=\(recordID), action=\(action)>"
    }
  }
}
