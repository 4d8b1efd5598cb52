// The events that a sync engine sends to its delegate. What was sent is in `CKSyncEngine+SentEvents.swift`.

extension CKSyncEngine {
  /// Something that happened while syncing.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum Event: Sendable, CustomStringConvertible {
    /// The engine's state changed: keep it, together with the data that came before.
    case stateUpdate(StateUpdate)
    /// Somebody signed in or out.
    case accountChange(AccountChange)
    /// Zones are new, changed or gone.
    case fetchedDatabaseChanges(FetchedDatabaseChanges)
    /// Records are new, changed or gone.
    case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
    /// Zones were saved and deleted, or could not be.
    case sentDatabaseChanges(SentDatabaseChanges)
    /// Records were saved and deleted, or could not be.
    case sentRecordZoneChanges(SentRecordZoneChanges)
    /// A fetch begins.
    case willFetchChanges(WillFetchChanges)
    /// The fetch of a zone begins.
    case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
    /// The fetch of a zone ended.
    case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
    /// A fetch ended.
    case didFetchChanges(DidFetchChanges)
    /// A send begins.
    case willSendChanges(WillSendChanges)
    /// A send ended.
    case didSendChanges(DidSendChanges)

    public var description: String {
      switch self {
      case .stateUpdate(let event): "\(event)"
      case .accountChange(let event): "\(event)"
      case .fetchedDatabaseChanges(let event): "\(event)"
      case .fetchedRecordZoneChanges(let event): "\(event)"
      case .sentDatabaseChanges(let event): "\(event)"
      case .sentRecordZoneChanges(let event): "\(event)"
      case .willFetchChanges(let event): "\(event)"
      case .willFetchRecordZoneChanges(let event): "\(event)"
      case .didFetchRecordZoneChanges(let event): "\(event)"
      case .didFetchChanges(let event): "\(event)"
      case .willSendChanges(let event): "\(event)"
      case .didSendChanges(let event): "\(event)"
      }
    }
  }
}

extension CKSyncEngine.Event {
  /// The engine's state, to be kept.
  public struct StateUpdate: Sendable, CustomStringConvertible {
    /// The state.
    public let stateSerialization: CKSyncEngine.State.Serialization
    public var description: String { "StateUpdate" }
  }

  /// A change of the account. The engine's state was reset before: everything pending is gone.
  public struct AccountChange: Sendable, CustomStringConvertible {
    /// What happened to the account.
    #if hasAttribute(nonexhaustive)
      @nonexhaustive
    #endif
    public enum ChangeType: Sendable, Equatable {
      /// Somebody signed in, where nobody was.
      case signIn(currentUser: CKRecord.ID)
      /// The user signed out.
      case signOut(previousUser: CKRecord.ID)
      /// Another user signed in.
      case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
    }
    /// What happened.
    public let changeType: ChangeType
    public var description: String { "AccountChange(\(changeType))" }
  }

  /// Zones that are new, changed or gone.
  public struct FetchedDatabaseChanges: Sendable, CustomStringConvertible {
    /// Zones that are new or hold changes.
    public let modifications: [CKDatabase.DatabaseChange.Modification]
    /// Zones that are gone, and why.
    public let deletions: [CKDatabase.DatabaseChange.Deletion]
    public var description: String {
      "FetchedDatabaseChanges(\(modifications.count) changed, \(deletions.count) deleted)"
    }
  }

  /// Records that are new, changed or gone.
  public struct FetchedRecordZoneChanges: Sendable, CustomStringConvertible {
    /// Records that are new or changed.
    public let modifications: [CKDatabase.RecordZoneChange.Modification]
    /// Records that are gone.
    public let deletions: [CKDatabase.RecordZoneChange.Deletion]
    public var description: String {
      "FetchedRecordZoneChanges(\(modifications.count) changed, \(deletions.count) deleted)"
    }
  }

  /// A fetch begins.
  public struct WillFetchChanges: Sendable, CustomStringConvertible {
    /// Its circumstances.
    public let context: CKSyncEngine.FetchChangesContext
    public var description: String { "WillFetchChanges(\(context.reason))" }
  }

  /// A fetch ended.
  public struct DidFetchChanges: Sendable, CustomStringConvertible {
    /// Its circumstances.
    public let context: CKSyncEngine.FetchChangesContext
    public var description: String { "DidFetchChanges(\(context.reason))" }
  }

  /// The fetch of a zone begins.
  public struct WillFetchRecordZoneChanges: Sendable, CustomStringConvertible {
    /// The zone.
    public let zoneID: CKRecordZone.ID
    public var description: String { "WillFetchRecordZoneChanges(\(zoneID.zoneName))" }
  }

  /// The fetch of a zone ended.
  public struct DidFetchRecordZoneChanges: Sendable, CustomStringConvertible {
    /// The zone.
    public let zoneID: CKRecordZone.ID
    /// What went wrong; nil if all came.
    public let error: CKError?
    public var description: String {
      "DidFetchRecordZoneChanges(\(zoneID.zoneName)\(error.map { ", \($0.code)" } ?? ""))"
    }
  }
}
