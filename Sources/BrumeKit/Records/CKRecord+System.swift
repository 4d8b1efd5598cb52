// Names that belong to the system: record types and the keys of system fields in predicates.

extension CKRecord {
  /// Record types that the server itself defines.
  public enum SystemType {
    /// The type of the record that every user has.
    public static let userRecord: CKRecord.RecordType = "Users"
    /// The type of shares.
    public static let share: CKRecord.RecordType = "cloudkit.share"
  }

  /// Keys of system fields, for predicates and sort descriptors.
  public enum SystemFieldKey {
    /// The parent of a record.
    public static var parent: CKRecord.FieldKey { "___parent" }
    /// The share whose root a record is.
    public static var share: CKRecord.FieldKey { "___share" }
    /// The record's ID.
    public static var recordID: CKRecord.FieldKey { "___recordID" }
    /// Who created the record.
    public static var creatorUserRecordID: CKRecord.FieldKey { "___createdBy" }
    /// When the record was created.
    public static var creationDate: CKRecord.FieldKey { "___createTime" }
    /// Who changed the record last.
    public static var lastModifiedUserRecordID: CKRecord.FieldKey { "___modifiedBy" }
    /// When the record was changed last.
    public static var modificationDate: CKRecord.FieldKey { "___modTime" }
  }
}

/// The record name of the share of a whole zone.
public let CKRecordNameZoneWideShare = "cloudkit.zoneshare"
