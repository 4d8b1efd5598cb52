// The log: what happened, in commit order. Notifications are made from it and from nothing else
// (decision 0003).

/// A change to one record.
package struct RecordChange: Sendable {
  /// What was done. Raw values are stored: never change one.
  package enum Kind: Int, Hashable, Sendable {
    case created = 1
    case updated = 2
    case deleted = 3
  }
  package let record: RecordKey
  package let recordType: String
  package let kind: Kind
  /// The state that subscriptions are judged on: after a create or update, before a delete. Kept
  /// only where a query subscription on this type existed when the change was made.
  package let image: StoredRecord?
  /// Names of the shares in the zone that covered the record at the time.
  package let coveringShares: [String]

  package init(
    record: RecordKey, recordType: String, kind: Kind, image: StoredRecord?,
    coveringShares: [String] = []
  ) {
    self.record = record
    self.recordType = recordType
    self.kind = kind
    self.image = image
    self.coveringShares = coveringShares
  }
}

/// One entry of the log.
package struct LogEntry: Sendable {
  /// What happened.
  package enum Event: Sendable {
    case record(RecordChange)
    case zoneCreated(ZoneKey)
    case zoneDeleted(ZoneKey)
    /// A user joined or left a share of this zone: their shared database changed.
    case membership(UserID, ZoneKey)
    /// A subscription was saved or removed. The entry puts the change in log order, so that the
    /// matcher's index follows the same order as the records it judges.
    case subscription(SubscriptionScope, id: String)
  }
  /// Rises in commit order of its bucket; assigned by the engine.
  package let position: Int64
  package let database: DatabaseKey
  package let event: Event
  package let origin: Origin

  package init(position: Int64, database: DatabaseKey, event: Event, origin: Origin) {
    self.position = position
    self.database = database
    self.event = event
    self.origin = origin
  }
}

extension LogEntry.Event {
  /// The zone that it is about; nil: none.
  package var zone: ZoneKey? {
    switch self {
    case .record(let change): change.record.zone
    case .zoneCreated(let zone), .zoneDeleted(let zone), .membership(_, let zone): zone
    case .subscription: nil
    }
  }
}

/// Which changes of the log somebody asks for. Saved and removed subscriptions are none.
package struct LogFilter: Sendable, InContainerEnvironment {
  package let containerEnvironment: ContainerEnvironment
  /// None that are older.
  package var since: Milliseconds = 0
  /// A record of any database: its name, and its zone's.
  package var record: (name: String, zone: String)?
  package var requestID: String?

  package init(in containerEnvironment: ContainerEnvironment) {
    self.containerEnvironment = containerEnvironment
  }

  /// Whether a change is asked for.
  package func admits(_ entry: LogEntry) -> Bool {
    entry.database.containerEnvironment == containerEnvironment && entry.origin.time >= since
      && requestID.map { $0 == entry.origin.requestID } ?? true && admits(entry.event)
  }

  private func admits(_ event: LogEntry.Event) -> Bool {
    switch event {
    case .subscription: false
    case .record(let change):
      record.map { $0 == (change.record.name, change.record.zone.name) } ?? true
    case .zoneCreated, .zoneDeleted, .membership: record == nil
    }
  }
}

/// Where a change came from.
package struct Origin: Equatable, Sendable {
  package let user: UserID?
  /// The device that is not notified of its own change. Nil for server keys and tools.
  package let device: DeviceID?
  /// The request that caused it, for tracing a push back to its save.
  package let requestID: String
  package let time: Milliseconds

  package init(user: UserID?, device: DeviceID?, requestID: String, time: Milliseconds) {
    self.user = user
    self.device = device
    self.requestID = requestID
    self.time = time
  }
}
