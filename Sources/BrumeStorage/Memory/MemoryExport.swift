// The rows of a state in memory, as the tables that every engine can fill: so a backup of a server that forgets is
// one like any other. Records are in `MemoryExport+Records.swift`, what concerns pushes in
// `MemoryExport+Delivery.swift`.

import BrumeModel

final class MemoryExport: StoreExport {
  let engineName = "memory"
  var bucketCount: Int { state.buckets.count }
  let state: MemoryState
  let coders: StoreCoders

  init(_ state: MemoryState, _ coders: StoreCoders) {
    self.state = state
    self.coders = coders
  }

  func outline() throws -> StoreOutline {
    var cursors: [Bucket: [UInt8]] = [:]
    for bucket in state.buckets.indices.map({ Bucket($0) }) {
      cursors[bucket] = state.settings[ByteText(SettingKey.notifierCursor(bucket).text)]
    }
    let lastMail = state.buckets.map(\.lastMailboxPosition).max() ?? 0
    return StoreOutline(
      identity: "memory", sequenceFloor: state.sequenceFloor,
      lastDelivery: max(lastMail, state.lastKeptPosition),
      cursors: cursors)
  }

  func logPlaces() throws -> [LogPlace] {
    state.buckets.enumerated().flatMap { number, bucket in
      bucket.log.map {
        LogPlace(
          bucket: Bucket(number), position: $0.position, database: $0.database,
          time: $0.origin.time)
      }
    }
  }

  func rows(of table: MovedTable) throws -> any MovedRows {
    MemoryRows(try values(of: table).map { try MovedRow(table, $0) })
  }

  private func values(of table: MovedTable) -> [[MovedValue]] {
    switch table {
    case .settings: settings
    case .users: state.users.values.map(\.moved)
    case .identities: state.identities.map { $0.map { .text($0.text) } + [.text($1.name)] }
    case .apiTokens: state.apiTokens.values.map(\.moved)
    case .serverKeys: state.serverKeys.values.map(\.moved)
    case .usedSignatures: state.usedSignatures.map { [.text($0.text), .integer($1)] }
    case .roles:
      state.roleMembers.map {
        $0.containerEnvironment.moved + [.text($0.role), .text($0.user.name)]
      }
    case .databases: databases
    case .zones: zones
    case .records: records
    case .references: references
    case .assetHolders: assetHolders
    case .assetFiles: state.assetFiles.values.map(\.moved)
    case .assetUploads:
      state.assetUploads.values.map { [.text($0.id), .text($0.checksum), .integer($0.began)] }
    case .assetDiscards: state.discardedAssetObjects.map { [.text($0.text)] }
    case .memberships: memberships
    case .shortGUIDs:
      state.shortGUIDs.map { [.text($0.text)] + $1.zone.moved + [.text($1.name)] }
    case .subscriptions: subscriptions
    case .devices: state.devices.values.map(\.moved)
    case .mailboxes: mailboxes
    case .keptNotifications: keptNotifications
    case .badges: badges
    case .webhooks: state.webhooks.map(\.moved)
    case .apnsSenders: apnsSenders
    case .pushLog: state.pushLog.map(\.moved)
    case .operators: state.operators.values.map(\.moved)
    case .operatorCredentials: state.operatorCredentials.values.map(\.moved)
    case .audit: state.audit.map(\.moved)
    case .log: log
    }
  }

  /// Without those that mean something in this store alone.
  private var settings: [[MovedValue]] {
    state.settings.filter { name, _ in
      !name.text.hasPrefix("notifier-cursor") && name.text != SettingKey.copiedBack.text
    }
    .map { [.text($0.text), .bytes($1)] }
  }
}

/// Rows in the order of their keys.
private final class MemoryRows: MovedRows {
  /// The first last.
  private var rows: [MovedRow]

  init(_ rows: [MovedRow]) { self.rows = rows.sorted { $1.isBefore($0) } }

  func next() throws -> MovedRow? { rows.popLast() }
}

// MARK: Values

extension ContainerEnvironment {
  var moved: [MovedValue] { [.text(container.name), .text(environment.rawValue)] }
}

extension User {
  fileprivate var moved: [MovedValue] {
    let texts = [id.name, name, passwordHash, emailAddress, phoneNumber, givenName, familyName]
    return texts.map { MovedValue.text($0) }
      + [.integer(tokenEpoch), .integer(isDiscoverable ? 1 : 0)]
  }
}

extension APIToken {
  fileprivate var moved: [MovedValue] {
    [.text(token), .text(name)] + containerEnvironment.moved
      + [.text(allowedOrigins.map(Lines.text)), .text(callback)]
  }
}

extension ServerKey {
  fileprivate var moved: [MovedValue] {
    [.text(id), .text(name)] + containerEnvironment.moved + [.text(publicKey), .text(user.name)]
  }
}

extension AssetFile {
  fileprivate var moved: [MovedValue] {
    [
      .text(checksum), .text(object), .integer(size), .bytes(digest),
      idleSince.map { .integer($0) } ?? .null,
    ]
  }
}
