// What a webhook gets: a batch of the change feed, oldest first.

package import BrumeModel

/// One call to a webhook.
package struct WebhookCall: Sendable {
  /// One entry of the feed.
  package struct Change: Sendable {
    /// The same in every delivery of this change, also to other webhooks.
    package let id: String
    package let entry: LogEntry
    /// The record as it is now; nil if it is gone.
    package let record: StoredRecord?
    package init(id: String, entry: LogEntry, record: StoredRecord?) {
      self.id = id
      self.entry = entry
      self.record = record
    }
  }
  /// The same for every attempt of this call.
  package let id: String
  package let webhook: Webhook
  package let changes: [Change]
  package init(id: String, webhook: Webhook, changes: [Change]) {
    self.id = id
    self.webhook = webhook
    self.changes = changes
  }
}

extension Wire {
  /// The body of a call.
  package static func webhookCall(_ call: WebhookCall) -> [UInt8] {
    bytes(capacity: 1024) { writer in
      writer.beginObject()
      writer.member("type", "changes")
      writer.member("id", call.id)
      writer.member("webhook", call.webhook.id)
      writer.member("container", call.webhook.container.name)
      writer.member("environment", call.webhook.environment.rawValue)
      // True: changes before these are lost to this webhook; fetch everything.
      writer.member("missed", call.webhook.missed)
      writer.name("changes")
      writer.beginArray()
      for change in call.changes { writer.change(change) }
      writer.endArray()
      writer.endObject()
    }
  }

  /// How much room a record takes in a call, roughly.
  package static func webhookBytes(_ record: StoredRecord?) -> Int {
    256 + (record?.sizeEstimate ?? 0)
  }
}

extension JSONWriter {
  fileprivate mutating func change(_ change: WebhookCall.Change) {
    let entry = change.entry
    beginObject()
    member("id", change.id)
    member("time", entry.origin.time)
    member("requestID", entry.origin.requestID)
    member("userRecordName", entry.origin.user?.name)
    member("database", entry.database.owner == nil ? "public" : "private")
    switch entry.event {
    case .record(let record): self.record(record, change.record)
    case .zoneCreated(let zone): zoneChange("zone.created", zone)
    case .zoneDeleted(let zone): zoneChange("zone.deleted", zone)
    case .membership, .subscription: break
    }
    endObject()
  }

  private mutating func record(_ change: RecordChange, _ now: StoredRecord?) {
    switch change.kind {
    case .created: member("type", "record.created")
    case .updated: member("type", "record.updated")
    case .deleted: member("type", "record.deleted")
    }
    member("recordName", change.record.name)
    member("recordType", change.recordType)
    name("zoneID")
    zoneID(change.record.zone.id)
    if let now {
      name("record")
      storedRecord(now, RecordOptions())
    }
  }

  private mutating func zoneChange(_ type: String, _ zone: ZoneKey) {
    member("type", type)
    name("zoneID")
    zoneID(zone.id)
  }
}
