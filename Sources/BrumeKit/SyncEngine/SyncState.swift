// What a sync engine knows: who is signed in, how far it has fetched, what waits to be sent. A value,
// so that "killed here" can be tried at every step.
//
// The rules for changes: a later change of the same item replaces the earlier one. What is being sent
// is kept apart, so that a change made meanwhile stays pending; and it is part of the kept state until
// the app has dealt with the answer, so that being killed in between loses nothing.

struct SyncState: Equatable, Sendable {
  typealias RecordChange = CKSyncEngine.PendingRecordZoneChange
  typealias DatabaseChange = CKSyncEngine.PendingDatabaseChange

  /// The record name of the user that all this belongs to.
  var user: String?
  var databaseToken: String?
  var zoneTokens: [CKRecordZone.ID: String] = [:]
  /// Zones that the database says have changes which were not fetched yet.
  var unfetchedZones: [CKRecordZone.ID] = []
  /// Zones that are known here, and that the database has not named since it is read from its beginning.
  private(set) var unnamedZones: Set<CKRecordZone.ID> = []
  /// Zones of which a fetch read some pages and not the last.
  private(set) var zonesAmidPages: Set<CKRecordZone.ID> = []
  /// Zones of which nothing was fetched, and to which records were sent: the app has some of them, of whose deletion a
  /// fetch from the beginning says nothing unless it is asked.
  private(set) var zonesSentTo: Set<CKRecordZone.ID> = []
  /// Records of those zones that the app has as the server had them, by their types. The first fetch names each that is
  /// still there: meanwhile the zone may have gone, and another one have come under its name.
  private(set) var recordsSent: [CKRecord.ID: String] = [:]
  /// Ours: how many of them are remembered.
  static let mostRecordsSent = 400
  var hasUntrackedChanges = false
  private var waiting = ChangeList()
  private(set) var databaseChanges: [DatabaseChange] = []
  /// On their way, or answered but not dealt with by the app.
  private(set) var sending: [RecordChange] = []
  private(set) var isAnswered = false

  /// What waits.
  var recordChanges: [RecordChange] { waiting.all }

  /// What counts as pending: what waits, and what is on its way without an answer.
  var pending: [RecordChange] {
    isAnswered || sending.isEmpty ? recordChanges : ChangeList(sending + recordChanges).all
  }

  var hasPendingChanges: Bool {
    !pending.isEmpty || !databaseChanges.isEmpty || hasUntrackedChanges
  }

  // MARK: Changes of records

  /// Answers whether something is new.
  @discardableResult
  mutating func add(_ changes: [RecordChange]) -> Bool { waiting.add(changes) }

  /// The app takes changes back. What is on its way may arrive, but is not sent again. Answers whether something
  /// was there.
  @discardableResult
  mutating func remove(_ changes: [RecordChange]) -> Bool {
    let (gone, before) = (Set(changes), sending.count)
    sending.removeAll { gone.contains($0) }
    return waiting.remove(changes) || sending.count < before
  }

  /// Changes leave for the server. Those that were made once more meanwhile wait, if they still did.
  mutating func begin(_ changes: [RecordChange], leaving newer: Set<RecordChange> = []) {
    remove(changes.filter { !newer.contains($0) })
    sending = changes
    isAnswered = false
  }

  /// The server has answered; these could not be sent, and wait again.
  mutating func answered(keeping unsent: [RecordChange]) {
    isAnswered = true
    let again = Set(unsent).intersection(sending)
    let older = unsent.filter { again.contains($0) && !waiting.names($0.recordID) }
    waiting = ChangeList(older + recordChanges)
    sending.removeAll { again.contains($0) }
  }

  /// The app has dealt with the answer.
  mutating func finish() {
    sending = []
    isAnswered = false
  }

  // MARK: Changes of zones

  mutating func add(_ changes: [DatabaseChange]) {
    for change in changes {
      if let place = databaseChanges.firstIndex(where: { $0.zoneID == change.zoneID }) {
        databaseChanges[place] = change
      } else {
        databaseChanges.append(change)
      }
    }
  }

  mutating func remove(_ changes: [DatabaseChange]) {
    databaseChanges.removeAll { changes.contains($0) }
  }

  // MARK: Fetching

  /// The database will be read from its beginning. That names the zones which are there, and not all that went. Of zones
  /// that were never fetched, the app may have what was sent to them.
  mutating func beginDatabaseAnew() {
    databaseToken = nil
    let known = Set(zoneTokens.keys).union(recordsSent.keys.map(\.zoneID))
    unnamedZones = known.filter { $0.zoneName != CKRecordZone.ID.defaultZoneName }
  }

  /// A page of the database's changes was dealt with.
  mutating func fetched(
    changed: [CKRecordZone.ID], deleted: [CKRecordZone.ID], token: String
  ) {
    databaseToken = token
    unnamedZones.subtract(changed)
    for zone in changed where !unfetchedZones.contains(zone) { unfetchedZones.append(zone) }
    for zone in deleted { forget(zone) }
  }

  /// A page of a zone's changes was dealt with.
  ///
  /// - Parameter isOfEarlierFetch: its pages were begun by a fetch that failed, or records are looked for that were sent. They
  ///   end where the zone was when they were begun, so the last of them is not the last that the database speaks of.
  mutating func fetched(
    _ zone: CKRecordZone.ID, token: String, moreComing: Bool, isOfEarlierFetch: Bool = false
  ) {
    zoneTokens[zone] = token
    zonesSentTo.remove(zone)
    if moreComing {
      zonesAmidPages.insert(zone)
    } else {
      zonesAmidPages.remove(zone)
      guard !isOfEarlierFetch else { return }
      forgetRecordsSent(to: zone)
      unfetchedZones.removeAll { $0 == zone }
    }
  }

  /// For states that were kept.
  mutating func restore(unnamed: [CKRecordZone.ID], amidPages: [CKRecordZone.ID]) {
    (unnamedZones, zonesAmidPages) = (Set(unnamed), Set(amidPages))
  }

  /// Records of these zones were sent, with whatever success: a conflict brings the app a record too.
  mutating func sent(to zones: some Sequence<CKRecordZone.ID>) {
    zonesSentTo.formUnion(zones.filter { zoneTokens[$0] == nil })
  }

  /// The app has these records as the server has them.
  mutating func has(_ records: [CKRecord.ID: String]) {
    for (id, type) in records {
      if zoneTokens[id.zoneID] != nil || id.zoneID.zoneName == CKRecordZone.ID.defaultZoneName {
        recordsSent[id] = nil
      } else {
        isSent(id, of: type)
      }
    }
  }

  /// For states that were kept.
  mutating func isSent(_ id: CKRecord.ID, of type: String) {
    if recordsSent.count < Self.mostRecordsSent { recordsSent[id] = type }
  }

  /// They are there, or the app was notified that they are not.
  mutating func named(_ records: some Sequence<CKRecord.ID>) {
    for id in records { recordsSent[id] = nil }
  }

  /// Whether some are to be looked for in a fetch of the zone.
  func hasSent(to zone: CKRecordZone.ID) -> Bool {
    recordsSent.keys.contains { $0.zoneID == zone }
  }

  private mutating func forgetRecordsSent(to zone: CKRecordZone.ID) {
    recordsSent = recordsSent.filter { $0.key.zoneID != zone }
  }

  /// The zone was saved. If it was new then, the token of its beginning says later whether it is still the same one: another
  /// device may delete it and make it again before this one has fetched anything of it.
  mutating func made(_ zone: CKRecordZone.ID, token: String?) {
    if let token, zoneTokens[zone] == nil { zoneTokens[zone] = token }
    unnamedZones.remove(zone)
  }

  /// The zone is gone: what comes under its name later is another one.
  mutating func forget(_ zone: CKRecordZone.ID) {
    remade(zone)
    unfetchedZones.removeAll { $0 == zone }
    unnamedZones.remove(zone)
  }

  /// The zone is another one under the same name, and is still to be fetched. What was to be deleted is gone with the
  /// earlier one, and a record of the same name in this one is another record.
  mutating func remade(_ zone: CKRecordZone.ID) {
    waiting.remove(
      waiting.all.filter { if case .deleteRecord(let id) = $0 { id.zoneID == zone } else { false } }
    )
    zoneTokens[zone] = nil
    zonesAmidPages.remove(zone)
    zonesSentTo.remove(zone)
    forgetRecordsSent(to: zone)
  }

  /// Another user, or nobody: nothing of this is true any more. What was added while there was no
  /// account belongs to the one who signs in.
  mutating func accountChanged(to user: String?) {
    if self.user != nil { self = SyncState() }
    self.user = user
  }

  /// What to keep. Whatever is on its way waits again: nobody knows whether it arrived.
  var kept: SyncState {
    var state = self
    if !sending.isEmpty { state.waiting = ChangeList(sending + recordChanges) }
    state.finish()
    return state
  }
}

extension CKSyncEngine.PendingRecordZoneChange {
  /// The record that changed.
  var recordID: CKRecord.ID {
    switch self {
    case .saveRecord(let id), .deleteRecord(let id): id
    }
  }
}

extension CKSyncEngine.PendingDatabaseChange {
  /// The zone that changed.
  var zoneID: CKRecordZone.ID {
    switch self {
    case .saveZone(let zone): zone.zoneID
    case .deleteZone(let id): id
    }
  }
}
