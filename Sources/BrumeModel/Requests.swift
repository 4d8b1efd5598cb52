// What callers ask for and what they get back, as values: the wire decodes to these, the rules
// take them, the client encodes them. There is no second set of message types. Those of zones and subscriptions have files of
// their own.

// MARK: Records

/// A value on its way into a field.
package struct DraftField: Equatable, Sendable {
  /// Nil removes the field.
  package var value: FieldValue?
  /// False when the sender gave no type: the rules then coerce to the schema's type where the JSON
  /// form allows it (docs/records.md).
  package var isTagged: Bool
  /// Whether the field is to be stored as an encrypted one.
  package var isEncrypted: Bool

  package init(_ value: FieldValue?, isTagged: Bool = true, isEncrypted: Bool = false) {
    self.value = value
    self.isTagged = isTagged
    self.isEncrypted = isEncrypted
  }
}

/// What an operation says about a record; everything that it does not say is nil.
package struct RecordDraft: Equatable, Sendable {
  /// What becomes of the record's parent.
  package enum ParentChange: Equatable, Sendable {
    case unchanged, cleared
    case set(Reference)
  }
  /// Nil: the server makes one.
  package var name: String?
  package var type: String?
  /// The version that the sender knows; nil: none.
  package var changeTag: String?
  /// Nil: the zone of the request.
  package var zone: ZoneID?
  package var fields: [String: DraftField]
  package var parent: ParentChange
  /// Asks for a short GUID, so that the record can become the root of a share over HTTP.
  package var createShortGUID: Bool
  /// With a new share: its root record, and the root's change tag.
  package var shareRoot: (name: String, changeTag: String?)? {
    get { rootName.map { ($0, rootTag) } }
    set { (rootName, rootTag) = (newValue?.name, newValue?.changeTag) }
  }
  private var rootName: String?
  private var rootTag: String?
  /// With a share: what everybody who has its URL may do.
  package var publicPermission: SharePermission?
  /// With a share: all of its participants.
  package var participants: [Participant]?
  /// With a share: what its owner says of access requests.
  package var access: AccessDraft?

  package init(
    name: String? = nil, type: String? = nil, changeTag: String? = nil, zone: ZoneID? = nil,
    fields: [String: DraftField] = [:], parent: ParentChange = .unchanged,
    createShortGUID: Bool = false, shareRoot: (name: String, changeTag: String?)? = nil,
    publicPermission: SharePermission? = nil, participants: [Participant]? = nil
  ) {
    self.name = name
    self.type = type
    self.changeTag = changeTag
    self.zone = zone
    self.fields = fields
    self.parent = parent
    self.createShortGUID = createShortGUID
    self.rootName = shareRoot?.name
    self.rootTag = shareRoot?.changeTag
    self.publicPermission = publicPermission
    self.participants = participants
  }
}

/// One item of `records/modify`. Raw values are the spelling on the wire.
package struct RecordOperation: Equatable, Sendable {
  /// What is done, and on which condition: `force…` whatever version is stored, `replace` drops fields that
  /// are not sent, `create` only if there is none.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case create, update, forceUpdate, replace, forceReplace, delete, forceDelete
    package var isDelete: Bool { self == .delete || self == .forceDelete }
    /// Whether it makes a record where there is none.
    package var mayCreate: Bool { self == .create || self == .forceUpdate || self == .forceReplace }
  }
  package var kind: Kind
  package var record: RecordDraft
  /// How this record comes back; nil: as the request says.
  package var desiredKeys: [String]?
  package var numbersAsStrings: Bool?
  package init(_ kind: Kind, _ record: RecordDraft) {
    self.kind = kind
    self.record = record
  }
}

/// `records/modify`.
package struct ModifyRecordsRequest: NamedRequest, Equatable {
  /// The zone of operations that name none; nil: the default zone.
  package var zone: ZoneID?
  package var operations: [RecordOperation]
  /// Nil: not atomic. It has no effect in zones without the capability (case ATM-05).
  package var atomic: Bool?
  /// Fields of each record that comes back; nil: all.
  package var desiredKeys: [String]?
  package var operationID: String?
  /// Ours too: what the zones' changes give back to this device, until its next such save.
  package var clientData: [UInt8]?
  package init(
    zone: ZoneID? = nil, operations: [RecordOperation], atomic: Bool? = nil,
    desiredKeys: [String]? = nil, operationID: String? = nil, clientData: [UInt8]? = nil
  ) {
    self.clientData = clientData
    self.zone = zone
    self.operations = operations
    self.atomic = atomic
    self.desiredKeys = desiredKeys
    self.operationID = operationID
  }
}

/// What became of one operation.
package enum RecordOutcome: Sendable {
  case saved(StoredRecord)
  case deleted(name: String, zone: ZoneID)
}

/// A failure of one item in a batch, with what the item was.
package struct ItemFailure<ID: Sendable & Equatable>: Error, Equatable, Sendable {
  package let id: ID
  package let error: BrumeError
  package init(_ id: ID, _ error: BrumeError) {
    self.id = id
    self.error = error
  }
}

/// A record's name and zone as clients know it.
package struct RecordID: Hashable, Sendable {
  package let name: String
  package let zone: ZoneID
  package init(name: String, zone: ZoneID) {
    self.name = name
    self.zone = zone
  }
}

/// What became of one operation, or which record failed and why.
package typealias RecordResult = Result<RecordOutcome, ItemFailure<RecordID>>

extension Collection<RecordResult> {
  /// Whether receipts had expired, and nothing was saved. Of what a request asked of one database nothing is remembered
  /// then, so that it may come again under its name.
  package var lacksFiles: Bool {
    let errors = compactMap { result in
      if case .failure(let failure) = result { failure.error.code } else { nil }
    }
    return errors.count == count && errors.contains(.receiptExpired)
  }
}

/// `records/lookup`.
package struct LookupRecordsRequest: Equatable, Sendable {
  /// One record that is asked for.
  package struct Item: Equatable, Sendable {
    package var name: String
    package var zone: ZoneID?
    /// Fields that come back; nil: as the request says.
    package var desiredKeys: [String]?
    package init(name: String, zone: ZoneID? = nil, desiredKeys: [String]? = nil) {
      self.name = name
      self.zone = zone
      self.desiredKeys = desiredKeys
    }
  }
  /// The zone of items that name none; nil: the default zone.
  package var zone: ZoneID?
  package var items: [Item]
  /// Fields that come back; nil: all.
  package var desiredKeys: [String]?
  package init(zone: ZoneID? = nil, items: [Item], desiredKeys: [String]? = nil) {
    self.zone = zone
    self.items = items
    self.desiredKeys = desiredKeys
  }
}

// MARK: Queries

/// `records/query`.
package struct QueryRequest: Equatable, Sendable {
  package var query: Query
  /// Nil: every zone, or the default zone (`zoneWide`).
  package var zone: ZoneID?
  /// Nil: the default zone if no zone is given.
  package var zoneWide: Bool
  /// The most records of a page; nil, or more than the server's limit: as many as it answers at once.
  package var limit: Int?
  /// Where to go on: the marker of the page before.
  package var marker: String?
  /// Fields that come back; nil: all.
  package var desiredKeys: [String]?
  package init(
    query: Query, zone: ZoneID? = nil, zoneWide: Bool = false, limit: Int? = nil,
    marker: String? = nil, desiredKeys: [String]? = nil
  ) {
    self.query = query
    self.zone = zone
    self.zoneWide = zoneWide
    self.limit = limit
    self.marker = marker
    self.desiredKeys = desiredKeys
  }
}

/// One page of a query's records.
package struct QueryPage: Sendable {
  package var records: [StoredRecord]
  /// Nil on the last page.
  package var marker: String?
  package init(records: [StoredRecord], marker: String?) {
    self.records = records
    self.marker = marker
  }
}

// MARK: Changes

/// What is asked of one zone in `changes/zone`.
package struct ZoneChangesRequest: Equatable, Sendable {
  package var zone: ZoneID
  /// Nil: from the beginning.
  package var token: String?
  /// The most changes of a page; nil, or more than the server's limit: as many as it answers at once.
  package var limit: Int?
  /// Fields of each record that come back; nil: all.
  package var desiredKeys: [String]?
  /// Record types that come; nil: all.
  package var desiredTypes: Set<String>?
  /// Newest first (case CHG-14). Nil: oldest first.
  package var reverse: Bool?
  package var numbersAsStrings: Bool?
  /// Without a token: also the deletions that the feed remembers. Ours, for readers who knew the zone
  /// before their token expired.
  package var withDeletions: Bool?
  package init(
    zone: ZoneID, token: String? = nil, limit: Int? = nil, desiredKeys: [String]? = nil,
    desiredTypes: Set<String>? = nil, reverse: Bool? = nil, numbersAsStrings: Bool? = nil,
    withDeletions: Bool? = nil
  ) {
    self.zone = zone
    self.token = token
    self.limit = limit
    self.desiredKeys = desiredKeys
    self.desiredTypes = desiredTypes
    self.reverse = reverse
    self.numbersAsStrings = numbersAsStrings
    self.withDeletions = withDeletions
  }
}

/// One line of a zone's change feed.
package enum ZoneChange: Sendable {
  case changed(StoredRecord)
  case deleted(name: String, type: String, sequence: Int64)

  /// How many bytes the change takes in an answer, or nearly; what has no content counts as none.
  package var byteCount: Int { if case .changed(let stored) = self { stored.byteCount } else { 0 } }
}

/// One page of a zone's changes.
package struct ZoneChangesPage: Sendable {
  package var zone: ZoneID
  /// In the order in which they were made, each record once.
  package var changes: [ZoneChange]
  /// For the next page, or the next fetch.
  package var token: String
  /// Whether there is a next page now.
  package var moreComing: Bool
  /// The changes are newest first.
  package var isReverse: Bool
  /// The data of the device's last save in the zone.
  package var clientData: [UInt8]?
  package init(
    zone: ZoneID, changes: [ZoneChange], token: String, moreComing: Bool, isReverse: Bool = false,
    clientData: [UInt8]? = nil
  ) {
    self.clientData = clientData
    self.zone = zone
    self.changes = changes
    self.token = token
    self.moreComing = moreComing
    self.isReverse = isReverse
  }
}

/// A page of a zone's changes, or why there is none.
package typealias ZoneChangesResult = Result<ZoneChangesPage, ItemFailure<ZoneID>>

/// One page of the zones that changed.
package struct DatabaseChangesPage: Equatable, Sendable {
  package var zones: [ZoneState]
  /// For the next page, or the next fetch.
  package var token: String
  /// Whether there is a next page now.
  package var moreComing: Bool
  package init(zones: [ZoneState], token: String, moreComing: Bool) {
    self.zones = zones
    self.token = token
    self.moreComing = moreComing
  }
}

// MARK: Notifications

/// One page of the notifications kept for a user (`CKFetchNotificationChangesOperation`).
package struct KeptNotificationsPage: Sendable {
  package var items: [KeptNotification]
  /// For the next page, or the next fetch.
  package var token: String
  /// Whether there is a next page now.
  package var moreComing: Bool
  package init(items: [KeptNotification], token: String, moreComing: Bool) {
    self.items = items
    self.token = token
    self.moreComing = moreComing
  }
}

/// Which kept notifications of a user are meant. One change has one ID for all of the user's subscriptions.
package struct KeptNotificationID: Hashable, Sendable {
  /// That of the notification (`nid`).
  package let id: String
  /// Nil: those of all subscriptions, as a push that was cut does not name its own.
  package let subscriptionID: String?
  package init(_ id: String, subscriptionID: String? = nil) {
    self.id = id
    self.subscriptionID = subscriptionID
  }
}

/// A notification as it is kept after sending.
package struct KeptNotification: Equatable, Sendable {
  /// Its place in the feed. A notification that is read moves to the end and gets a new one.
  package let position: Int64
  /// That of the notification (`nid`).
  package let id: String
  package let subscriptionID: String
  /// The push as it was sent, in the wire's form.
  package let payload: [UInt8]
  package var isRead: Bool
  package init(
    position: Int64, id: String, subscriptionID: String, payload: [UInt8], isRead: Bool
  ) {
    self.position = position
    self.id = id
    self.subscriptionID = subscriptionID
    self.payload = payload
    self.isRead = isRead
  }
}

// MARK: Sharing

/// What `records/resolve` and `records/accept` ask for.
package struct ShortGUIDRequest: Equatable, Sendable {
  /// The short GUID, which ends a share's URL.
  package var value: String
  package var shouldFetchRootRecord: Bool
  /// Fields of the root record that come back; nil: all.
  package var rootRecordDesiredKeys: [String]?
  package init(
    value: String, shouldFetchRootRecord: Bool = false, rootRecordDesiredKeys: [String]? = nil
  ) {
    self.value = value
    self.shouldFetchRootRecord = shouldFetchRootRecord
    self.rootRecordDesiredKeys = rootRecordDesiredKeys
  }
}

/// A share as somebody who holds its address sees it (`CKShare.Metadata`).
package struct ShareMetadata: Sendable, InContainerEnvironment {
  package var shortGUID: ShortGUIDRequest
  package var containerEnvironment: ContainerEnvironment
  package var scope: DatabaseScope
  package var zone: ZoneID
  package var share: Record
  /// Nil for a zone-wide share.
  package var rootRecordName: String?
  /// Nil: nobody asked, or the caller may not read it.
  package var rootRecord: Record?
  package var owner: UserIdentity
  /// The caller's; the same for the next two.
  package var role: Participant.Role
  package var acceptance: Participant.Acceptance
  package var permission: SharePermission
  package init(
    shortGUID: ShortGUIDRequest, in containerEnvironment: ContainerEnvironment,
    scope: DatabaseScope, zone: ZoneID, share: Record, rootRecordName: String?,
    rootRecord: Record?, owner: UserIdentity, role: Participant.Role,
    acceptance: Participant.Acceptance, permission: SharePermission
  ) {
    self.shortGUID = shortGUID
    self.containerEnvironment = containerEnvironment
    self.scope = scope
    self.zone = zone
    self.share = share
    self.rootRecordName = rootRecordName
    self.rootRecord = rootRecord
    self.owner = owner
    self.role = role
    self.acceptance = acceptance
    self.permission = permission
  }
}

/// A share's metadata, or the address that failed, and why.
package typealias ShareResult = Result<ShareMetadata, ItemFailure<String>>
