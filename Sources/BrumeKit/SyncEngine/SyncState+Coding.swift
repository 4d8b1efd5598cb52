// The kept form of a sync engine's state. Its shape is ours and may grow; unknown members are ignored,
// and a state of a later version that cannot be understood is an error, not a fresh start.

extension SyncState: Codable {
  private enum Key: String, CodingKey {
    case version, user, databaseToken, zones, unfetched, unnamed, amidPages, sentTo, recordsSent
    case untracked, records, databaseChanges
  }
  private static let version = 1

  private struct ZoneName: Codable {
    var zone: String
    var owner: String
    init(_ id: CKRecordZone.ID) { (zone, owner) = (id.zoneName, id.ownerName) }
    func id() throws -> CKRecordZone.ID {
      try notEmpty(zone)
      return CKRecordZone.ID(zoneName: zone, ownerName: owner)
    }
  }

  private struct ZoneToken: Codable {
    var zone: ZoneName
    var token: String
  }

  private struct SentRecord: Codable {
    var zone: ZoneName
    var record: String
    var type: String
  }

  private struct Change: Codable {
    var zone: ZoneName
    /// Nil: a change of the zone itself.
    var record: String?
    var isDeletion: Bool
    /// The number of ``CKRecordZone/EncryptionScope``.
    var encryption: Int?
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let version = try values.decode(Int.self, forKey: .version)
    guard version <= Self.version else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: values,
        debugDescription: "the state is of version \(version); this program knows \(Self.version)")
    }
    self.init()
    user = try values.decodeIfPresent(String.self, forKey: .user)
    databaseToken = try values.decodeIfPresent(String.self, forKey: .databaseToken)
    for entry in try values.decodeIfPresent([ZoneToken].self, forKey: .zones) ?? [] {
      zoneTokens[try entry.zone.id()] = entry.token
    }
    func zones(_ key: Key) throws -> [CKRecordZone.ID] {
      try (values.decodeIfPresent([ZoneName].self, forKey: key) ?? []).map { try $0.id() }
    }
    unfetchedZones = try zones(.unfetched)
    restore(unnamed: try zones(.unnamed), amidPages: try zones(.amidPages))
    sent(to: try zones(.sentTo))
    for entry in try values.decodeIfPresent([SentRecord].self, forKey: .recordsSent) ?? [] {
      try notEmpty(entry.record)
      isSent(CKRecord.ID(recordName: entry.record, zoneID: try entry.zone.id()), of: entry.type)
    }
    hasUntrackedChanges = try values.decodeIfPresent(Bool.self, forKey: .untracked) ?? false
    add(try (values.decodeIfPresent([Change].self, forKey: .records) ?? []).map(Self.recordChange))
    add(
      try (values.decodeIfPresent([Change].self, forKey: .databaseChanges) ?? [])
        .map(Self.databaseChange))
  }

  func encode(to encoder: any Encoder) throws {
    let state = kept
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(Self.version, forKey: .version)
    try values.encodeIfPresent(state.user, forKey: .user)
    try values.encodeIfPresent(state.databaseToken, forKey: .databaseToken)
    let tokens = state.zoneTokens.map { ZoneToken(zone: ZoneName($0.key), token: $0.value) }
    try values.encode(tokens.sorted { $0.zone.zone < $1.zone.zone }, forKey: .zones)
    try values.encode(state.unfetchedZones.map(ZoneName.init), forKey: .unfetched)
    try values.encode(Self.sorted(state.unnamedZones), forKey: .unnamed)
    try values.encode(Self.sorted(state.zonesAmidPages), forKey: .amidPages)
    try values.encode(Self.sorted(state.zonesSentTo), forKey: .sentTo)
    let sent = state.recordsSent.map {
      SentRecord(zone: ZoneName($0.key.zoneID), record: $0.key.recordName, type: $0.value)
    }
    try values.encode(
      sent.sorted {
        ($0.zone.zone, $0.zone.owner, $0.record) < ($1.zone.zone, $1.zone.owner, $1.record)
      }, forKey: .recordsSent)
    try values.encode(state.hasUntrackedChanges, forKey: .untracked)
    try values.encode(state.recordChanges.map(Self.coded), forKey: .records)
    try values.encode(state.databaseChanges.map(Self.coded), forKey: .databaseChanges)
  }

  private static func sorted(_ zones: Set<CKRecordZone.ID>) -> [ZoneName] {
    zones.map(ZoneName.init).sorted { $0.zone < $1.zone }
  }

  private static func coded(_ change: RecordChange) -> Change {
    switch change {
    case .saveRecord(let id):
      Change(zone: ZoneName(id.zoneID), record: id.recordName, isDeletion: false)
    case .deleteRecord(let id):
      Change(zone: ZoneName(id.zoneID), record: id.recordName, isDeletion: true)
    }
  }

  private static func coded(_ change: DatabaseChange) -> Change {
    switch change {
    case .saveZone(let zone):
      Change(
        zone: ZoneName(zone.zoneID), isDeletion: false, encryption: zone.encryptionScope.rawValue)
    case .deleteZone(let id): Change(zone: ZoneName(id), isDeletion: true)
    }
  }

  private static func recordChange(_ change: Change) throws -> RecordChange {
    let name = change.record ?? ""
    try notEmpty(name)
    let id = CKRecord.ID(recordName: name, zoneID: try change.zone.id())
    return change.isDeletion ? .deleteRecord(id) : .saveRecord(id)
  }

  private static func databaseChange(_ change: Change) throws -> DatabaseChange {
    let id = try change.zone.id()
    if change.isDeletion { return .deleteZone(id) }
    let zone = CKRecordZone(zoneID: id)
    if let scope = change.encryption.flatMap({ CKRecordZone.EncryptionScope(rawValue: $0) }) {
      zone.encryptionScope = scope
    }
    return .saveZone(zone)
  }
}

/// Names are never empty; an ID without one would stop the program.
private func notEmpty(_ name: String) throws {
  if name.isEmpty {
    throw DecodingError.dataCorrupted(
      .init(codingPath: [], debugDescription: "the state names a zone or record without a name"))
  }
}
