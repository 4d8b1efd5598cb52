// Where the rows of a move are in SQLite.

import BrumeStorage

extension MovedTable {
  /// Its rows, in the order of their keys.
  var sqliteSelect: String { "\(statement) ORDER BY \(order)" }

  /// As `LogPositions.text` writes them.
  private func positions(_ column: String) -> String {
    "CASE \(column) WHEN 0 THEN '' ELSE '0:' || \(column) END"
  }

  /// How many rows it has, where they are looked for by an index of their zone or database. The search ends at an entry that
  /// is damaged and seems to be another zone's, whatever stands behind it; so they are counted without the index.
  var sqliteCount: String? {
    switch self {
    case .zones:
      """
      SELECT count(*) FROM zones z NOT INDEXED CROSS JOIN databases d ON d.id = z.database
      WHERE z.incarnation IS NOT NULL
      """
    case .records: Self.countInZones("records")
    case .references: Self.countInZones("record_references")
    case .assetHolders: Self.countInZones("asset_holders")
    case .memberships: Self.countInZones("memberships")
    default: nil
    }
  }

  private static func countInZones(_ table: String) -> String {
    """
    SELECT count(*) FROM \(table) r NOT INDEXED
      CROSS JOIN zones z ON z.id = r.zone CROSS JOIN databases d ON d.id = z.database
    """
  }

  private var order: String { (1...keyLength).map { "\($0)" }.joined(separator: ", ") }

  private var statement: String {
    switch self {
    case .settings:
      """
      SELECT substr(name, 6), value, \(SummedTable.settings.fits) FROM settings
      WHERE name GLOB 'port/*' AND name NOT GLOB 'port/notifier-cursor*'
        AND name <> 'port/copied-back'
      """
    case .users:
      """
      SELECT id, name, password_hash, email, phone, given_name, family_name, token_epoch,
        discoverable, \(SummedTable.users.fits) FROM users
      """
    case .identities:
      "SELECT issuer, subject, user, \(SummedTable.identities.fits) FROM identities"
    case .apiTokens:
      """
      SELECT token, name, container, environment, origins, callback, \(SummedTable.apiTokens.fits)
      FROM api_tokens
      """
    case .serverKeys:
      """
      SELECT id, name, container, environment, public_key, user, \(SummedTable.serverKeys.fits)
      FROM server_keys
      """
    case .usedSignatures:
      "SELECT identity, time, \(SummedTable.usedSignatures.fits) FROM used_signatures"
    case .roles:
      """
      SELECT container, environment, role, user, \(SummedTable.roleMembers.fits) FROM role_members
      """
    case .databases, .zones, .records, .references, .assetHolders, .memberships, .shortGUIDs:
      inDatabases
    case .assetFiles:
      """
      SELECT checksum, object, size, digest, idle_since, \(SummedTable.assetFiles.fits)
      FROM asset_files
      """
    case .assetUploads:
      "SELECT id, checksum, began, \(SummedTable.assetUploads.fits) FROM asset_uploads"
    case .assetDiscards: "SELECT object, \(SummedTable.assetDiscards.fits) FROM asset_discards"
    case .subscriptions, .devices, .mailboxes, .keptNotifications, .badges: ofUsers
    case .webhooks:
      """
      SELECT id, container, environment, url, secret, created,
        \(positions("cursor")), failures, disabled_because, missed, \(SummedTable.webhooks.fits)
      FROM webhooks
      """
    case .apnsSenders:
      """
      SELECT id, container, topic, team, key_id, private_key, \(SummedTable.apnsSenders.fits)
      FROM apns_senders
      """
    case .pushLog:
      """
      SELECT position, time, container, environment, user, device, channel, notification,
        subscription, request, subject, verdict, status, reason, attempt,
        \(SummedTable.pushLog.fits)
      FROM push_log
      """
    case .operators:
      """
      SELECT id, name, role, password_hash, created, \(SummedTable.operators.fits) FROM operators
      """
    case .operatorCredentials:
      """
      SELECT id, kind, name, operator_id, role, created, last_used, ends,
        \(SummedTable.operatorCredentials.fits)
      FROM operator_credentials
      """
    case .audit:
      """
      SELECT position, time, operator_name, address, request, action, subject, container, environment,
        status, refused, \(SummedTable.audit.fits) FROM audit
      """
    case .log:
      """
      SELECT d.container, d.environment, d.owner,
        row_number() OVER (PARTITION BY l.database ORDER BY l.position), '0:' || l.position, l.kind,
        e.container, e.environment, e.owner, z.name, l.name, l.type, l.subject, l.sequence, l.image,
        l.shares, l.container, l.environment, l.user, l.device, l.request, l.time,
        \(SummedTable.log.fits("l")) AND \(SummedTable.images.fits("l"))
      FROM log l JOIN databases d ON d.id = l.database
        LEFT JOIN zones z ON z.id = l.zone LEFT JOIN databases e ON e.id = z.database
      """
    }
  }

  /// CROSS JOIN, so that each is walked in the order of its own index and nothing is sorted.
  private var inDatabases: String {
    let database = "SELECT d.container, d.environment, d.owner"
    let zones = "FROM databases d CROSS JOIN zones z ON z.database = d.id"
    return switch self {
    case .databases:
      """
      SELECT container, environment, owner, max(sequence, ifnull(
        (SELECT max(last_sequence) FROM zones WHERE zones.database = databases.id), 0)) AS last,
        \(SummedTable.databases.fits) AND \(SummedTable.sequences.fits)
      FROM databases WHERE last > 0
      """
    case .zones:
      """
      \(database), z.name, z.incarnation, z.last_sequence, z.deletion, z.has_shares,
        \(SummedTable.zones.fits("z"))
      \(zones)
      WHERE z.incarnation IS NOT NULL
      """
    case .records:
      """
      \(database), z.name, r.name, r.type, r.deleted_type, r.deleted_creator, r.deleted_shares,
        r.sequence, r.parent, r.content, \(SummedTable.records.fits("r"))
      \(zones) CROSS JOIN records r ON r.zone = z.id
      """
    case .references:
      """
      \(database), z.name, r.target, r.action, r.name
      \(zones) CROSS JOIN record_references r ON r.zone = z.id
      """
    case .assetHolders:
      """
      \(database), z.name, h.name, h.checksum
      \(zones) CROSS JOIN asset_holders h ON h.zone = z.id
      """
    case .memberships:
      """
      \(database), z.name, m.share, m.user, \(SummedTable.memberships.fits("m"))
      \(zones) CROSS JOIN memberships m ON m.zone = z.id
      """
    default:
      """
      SELECT g.guid, d.container, d.environment, d.owner, z.name, g.name,
        \(SummedTable.shortGUIDs.fits("g"))
      FROM short_guids g JOIN zones z ON z.id = g.zone JOIN databases d ON d.id = z.database
      """
    }
  }

  private var ofUsers: String {
    switch self {
    case .subscriptions:
      """
      SELECT serial, container, environment, scope, user, id, \(positions("birth")), watched_type,
        content, \(SummedTable.subscriptions.fits)
      FROM subscriptions
      """
    case .devices:
      """
      SELECT container, environment, user, device, channel, token, token_environment, detail,
        registered, \(SummedTable.devices.fits)
      FROM devices WHERE channel IS NOT NULL
      """
    case .mailboxes:
      """
      SELECT d.container, d.environment, d.user, d.device,
        row_number() OVER (PARTITION BY m.device ORDER BY m.position), m.notification,
        m.subscription, m.collapse, m.payload, m.time, m.request, \(SummedTable.mailbox.fits("m"))
      FROM mailbox m JOIN devices d ON d.id = m.device
      """
    case .keptNotifications:
      """
      SELECT i.container, i.environment, i.user,
        row_number() OVER (PARTITION BY k.inbox ORDER BY k.position), k.notification,
        k.subscription, k.payload, k.is_read, \(SummedTable.kept.fits("k"))
      FROM kept_notifications k JOIN inboxes i ON i.id = k.inbox
      """
    default:
      """
      SELECT container, environment, user, badge, \(SummedTable.inboxes.fits) FROM inboxes
      WHERE badge <> 0
      """
    }
  }
}
