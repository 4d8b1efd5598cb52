// Record IDs.

public import Foundation

extension CKRecord {
  /// The class behind ``CKRecord/ID``: a record's name and the zone that it is in.
  // Sendable because every stored property is constant.
  open class ID: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The record's name, unique in its zone.
    public let recordName: String
    /// The zone that the record is in.
    public let zoneID: CKRecordZone.ID

    /// Names a record of the current user's default zone.
    public convenience init(recordName: String) {
      self.init(recordName: recordName, zoneID: .default)
    }

    /// Names a record. Without arguments: a new random name in the default zone.
    public init(
      recordName: String = UUID().uuidString, zoneID: CKRecordZone.ID = CKRecordZone.ID.default
    ) {
      precondition(!recordName.isEmpty, "a record name must not be empty")
      self.recordName = recordName
      self.zoneID = zoneID
    }

    /// Reads an ID from an archive.
    public required init?(coder: NSCoder) {
      guard let name = coder.text("recordName") ?? coder.text(AppleKey.recordName),
        let zone = coder.object(CKRecordZone.ID.self, "zoneID")
          ?? coder.object(CKRecordZone.ID.self, AppleKey.zoneID),
        !name.isEmpty
      else { return nil }
      recordName = name
      zoneID = zone
    }

    /// Writes the ID into an archive.
    open func encode(with coder: NSCoder) {
      coder.encodeText(recordName, "recordName")
      coder.encode(zoneID, forKey: "zoneID")
    }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      public override var classForCoder: AnyClass { ArchivedRecordID.self }
    #endif

    /// The ID itself: it cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether two are equal.
    open override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? CKRecord.ID else { return false }
      return recordName == other.recordName && zoneID == other.zoneID
    }

    /// A hash that agrees with ``isEqual(_:)``.
    open override var hash: Int {
      var hasher = Hasher()
      hasher.combine(recordName)
      hasher.combine(zoneID)
      return hasher.finalize()
    }

    /// A text for logs and debuggers.
    open override var description: String {
      "<CKRecordID: recordName=\(recordName), zoneID=\(zoneID.zoneName):\(zoneID.ownerName)>"
    }
  }
}
