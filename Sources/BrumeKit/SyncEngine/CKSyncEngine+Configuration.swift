// What a sync engine is made from.

extension CKSyncEngine {
  /// How a sync engine works: on which database, from which state, for whom.
  public struct Configuration: Sendable, CustomStringConvertible {
    /// The private or the shared database. One engine for each database of a device.
    public var database: CKDatabase
    /// The state of the last ``CKSyncEngine/Event/stateUpdate(_:)`` that was kept; nil on the first
    /// launch.
    public var stateSerialization: CKSyncEngine.State.Serialization?
    /// Who handles events and hands out changes.
    public var delegate: any CKSyncEngineDelegate
    /// Whether the engine syncs by itself: at the start, when changes are added, when a push comes.
    public var automaticallySync = true
    /// The ID of the engine's database subscription. Nil: an existing database subscription is used,
    /// or one is made.
    public var subscriptionID: CKSubscription.ID?

    /// Creates a configuration.
    public init(
      database: CKDatabase, stateSerialization: CKSyncEngine.State.Serialization?,
      delegate: any CKSyncEngineDelegate
    ) {
      self.database = database
      self.stateSerialization = stateSerialization
      self.delegate = delegate
    }

    public var description: String {
      "<CKSyncEngine.Configuration: database=\(database), automaticallySync=\(automaticallySync)>"
    }
  }
}

/// Handles the events of a sync engine and hands out the changes to send.
///
/// Calls come one at a time. Do not call ``CKSyncEngine/fetchChanges(_:)`` or
/// ``CKSyncEngine/sendChanges(_:)`` from them: such a call fails.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
  /// Something happened. Keep what the event brings before returning: the engine moves on only then.
  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async

  /// The next changes to send; nil when there are none. Asked again until it answers nil.
  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch?

  /// What to fetch next. Asked before each request.
  func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
  /// The options that the fetch began with.
  public func nextFetchChangesOptions(
    _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.FetchChangesOptions {
    context.options
  }
}
