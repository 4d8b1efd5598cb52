// What a fetch or a send is about, and why it happens.

extension CKSyncEngine {
  /// Why a sync happens.
  public enum SyncReason: Sendable, Equatable, Hashable, CustomStringConvertible {
    /// The engine decided.
    case scheduled
    /// The app called ``CKSyncEngine/fetchChanges(_:)`` or ``CKSyncEngine/sendChanges(_:)``.
    case manual

    public var description: String {
      switch self {
      case .scheduled: "scheduled"
      case .manual: "manual"
      }
    }
  }

  // MARK: Fetching

  /// What a fetch brings.
  public struct FetchChangesOptions: Sendable, CustomStringConvertible {
    /// The zones of a fetch.
    public enum Scope: Sendable, Equatable, CustomStringConvertible {
      /// Every zone.
      case all
      /// Every zone but these.
      case allExcluding([CKRecordZone.ID])
      /// These zones.
      case zoneIDs([CKRecordZone.ID])

      /// Whether a zone belongs to it.
      public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
        }
      }

      public var description: String {
        switch self {
        case .all: "all"
        case .allExcluding(let zoneIDs): "all but \(zoneIDs.map(\.zoneName))"
        case .zoneIDs(let zoneIDs): "zones \(zoneIDs.map(\.zoneName))"
        }
      }
    }

    /// The zones to fetch.
    public var scope: Scope
    /// The group of the fetch's operations.
    public var operationGroup: CKOperationGroup
    /// Zones to fetch before the others.
    public var prioritizedZoneIDs: [CKRecordZone.ID] = []

    /// Creates options.
    public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
      self.scope = scope
      self.operationGroup = operationGroup ?? CKOperationGroup()
    }

    public var description: String { "<CKSyncEngine.FetchChangesOptions: scope=\(scope)>" }
  }

  /// The circumstances of a fetch.
  public struct FetchChangesContext: Sendable, CustomStringConvertible {
    /// Why it happens.
    public let reason: CKSyncEngine.SyncReason
    /// What it began with.
    public let options: CKSyncEngine.FetchChangesOptions

    public var description: String {
      "<CKSyncEngine.FetchChangesContext: reason=\(reason), options=\(options)>"
    }
  }

  // MARK: Sending

  /// What a send sends.
  public struct SendChangesOptions: Sendable, CustomStringConvertible {
    /// The changes of a send.
    public enum Scope: Sendable, Equatable, CustomStringConvertible {
      /// Every change.
      case all
      /// Every change but those of these zones.
      case allExcluding([CKRecordZone.ID])
      /// The changes of these zones.
      case zoneIDs([CKRecordZone.ID])
      /// The changes of these records.
      case recordIDs([CKRecord.ID])

      /// Whether a record's changes belong to it.
      public func contains(_ recordID: CKRecord.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(recordID.zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(recordID.zoneID)
        case .recordIDs(let recordIDs): recordIDs.contains(recordID)
        }
      }

      /// Whether a change belongs to it.
      public func contains(_ pendingChange: CKSyncEngine.PendingRecordZoneChange) -> Bool {
        contains(pendingChange.recordID)
      }

      /// Whether the saving or deleting of a zone belongs to it.
      func contains(zone zoneID: CKRecordZone.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let zoneIDs): !zoneIDs.contains(zoneID)
        case .zoneIDs(let zoneIDs): zoneIDs.contains(zoneID)
        case .recordIDs(let recordIDs): recordIDs.contains { $0.zoneID == zoneID }
        }
      }

      public var description: String {
        switch self {
        case .all: "all"
        case .allExcluding(let zoneIDs): "all but \(zoneIDs.map(\.zoneName))"
        case .zoneIDs(let zoneIDs): "zones \(zoneIDs.map(\.zoneName))"
        case .recordIDs(let recordIDs): "records \(recordIDs.map(\.recordName))"
        }
      }
    }

    /// The changes to send.
    public var scope: Scope
    /// The group of the send's operations.
    public var operationGroup: CKOperationGroup

    /// Creates options.
    public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
      self.scope = scope
      self.operationGroup = operationGroup ?? CKOperationGroup()
    }

    public var description: String { "<CKSyncEngine.SendChangesOptions: scope=\(scope)>" }
  }

  /// The circumstances of a send.
  public struct SendChangesContext: Sendable, CustomStringConvertible {
    /// Why it happens.
    public let reason: CKSyncEngine.SyncReason
    /// What it began with. Hand out only changes that its scope contains.
    public let options: CKSyncEngine.SendChangesOptions

    public var description: String {
      "<CKSyncEngine.SendChangesContext: reason=\(reason), options=\(options)>"
    }
  }
}
