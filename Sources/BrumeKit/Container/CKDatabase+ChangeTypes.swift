// What the change calls of a database report.

extension CKDatabase {
  /// Changes to the zones of a database.
  public enum DatabaseChange {
    /// A zone that is new, or holds changed records.
    public struct Modification: Sendable, Equatable, Hashable {
      /// The zone.
      public let zoneID: CKRecordZone.ID
    }

    /// A zone that is gone.
    public struct Deletion: Sendable, Equatable, Hashable {
      /// Why a zone is gone.
      public enum Reason: Sendable, Equatable, Hashable {
        /// A program deleted it.
        case deleted
        /// The user removed the program's data.
        case purged
        /// The user reset end-to-end encrypted data.
        case encryptedDataReset
      }
      /// The zone.
      public let zoneID: CKRecordZone.ID
      /// Why it is gone.
      public let reason: Reason
      /// Whether the user removed the program's data.
      @available(*, deprecated, message: "Use reason.")
      public var purged: Bool { reason == .purged }
    }
  }

  /// Changes to the records of a zone.
  public enum RecordZoneChange {
    /// A record that is new or changed.
    // Sendable because nobody else has the record.
    public struct Modification: @unchecked Sendable, Equatable, Hashable {
      /// The record.
      public let record: CKRecord
    }

    /// A record that is gone.
    public struct Deletion: Sendable, Equatable, Hashable {
      /// The record's ID.
      public let recordID: CKRecord.ID
      /// The record's type.
      public let recordType: CKRecord.RecordType
    }
  }
}
