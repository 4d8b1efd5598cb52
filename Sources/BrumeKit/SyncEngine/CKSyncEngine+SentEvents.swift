// What became of the changes that a sync engine sent.

extension CKSyncEngine.Event {
  /// Zones that were saved and deleted, and those that could not be.
  // Sendable because nobody changes the zones any more.
  public struct SentDatabaseChanges: @unchecked Sendable, CustomStringConvertible {
    /// A zone that could not be saved.
    // Sendable because nobody changes the zone any more.
    public struct FailedZoneSave: @unchecked Sendable, CustomStringConvertible {
      /// The zone.
      public let zone: CKRecordZone
      /// Why not.
      public let error: CKError
      public var description: String { "FailedZoneSave(\(zone.zoneID.zoneName), \(error.code))" }
    }
    /// Zones that were saved.
    public let savedZones: [CKRecordZone]
    /// Zones that could not be saved. The engine does not try again.
    public let failedZoneSaves: [FailedZoneSave]
    /// Zones that were deleted.
    public let deletedZoneIDs: [CKRecordZone.ID]
    /// Zones that could not be deleted. The engine does not try again.
    public let failedZoneDeletes: [CKRecordZone.ID: CKError]
    public var description: String {
      "SentDatabaseChanges(\(savedZones.count) saved, \(failedZoneSaves.count) not saved, "
        + "\(deletedZoneIDs.count) deleted, \(failedZoneDeletes.count) not deleted)"
    }
  }

  /// The start of a send.
  public struct WillSendChanges: Sendable, CustomStringConvertible {
    /// Its circumstances.
    public let context: CKSyncEngine.SendChangesContext
    public var description: String { "WillSendChanges(\(context.reason))" }
  }

  /// The end of a send.
  public struct DidSendChanges: Sendable, CustomStringConvertible {
    /// Its circumstances.
    public let context: CKSyncEngine.SendChangesContext
    public var description: String { "DidSendChanges(\(context.reason))" }
  }

  /// Records that were saved and deleted, and those that could not be.
  ///
  /// Failures that pass, such as those of the network, are not reported: the changes stay pending and are
  /// sent again.
  // Sendable because the engine lets go of the records when it reports them.
  public struct SentRecordZoneChanges: @unchecked Sendable, CustomStringConvertible {
    /// A record that could not be saved.
    // Sendable because the engine lets go of the record when it reports it.
    public struct FailedRecordSave: @unchecked Sendable, CustomStringConvertible {
      /// The record as it was sent.
      public let record: CKRecord
      /// Why not.
      public let error: CKError
      public var description: String {
        "FailedRecordSave(\(record.recordID.recordName), \(error.code))"
      }
    }
    /// Records that were saved, with what the server says about them.
    public let savedRecords: [CKRecord]
    /// Records that could not be saved. Solve what is wrong, and add the change again.
    public let failedRecordSaves: [FailedRecordSave]
    /// Records that were deleted.
    public let deletedRecordIDs: [CKRecord.ID]
    /// Records that could not be deleted.
    public let failedRecordDeletes: [CKRecord.ID: CKError]
    public var description: String {
      "SentRecordZoneChanges(\(savedRecords.count) saved, \(failedRecordSaves.count) not saved, "
        + "\(deletedRecordIDs.count) deleted, \(failedRecordDeletes.count) not deleted)"
    }
  }
}
