// Where the rows of a move are in PostgreSQL.

import BrumeStorage

extension MovedTable {
  /// Its rows, in the order of their keys. Behind the columns of records and of the log comes what `PostgresMovedRows`
  /// needs to check their checksums.
  ///
  /// - Parameter onCitus: whether tables are divided by bucket.
  func postgresSelect(onCitus: Bool) -> String {
    let statement = statement(onCitus)
    switch self {
    // Their order is that of the zones, and in each that of its rows.
    case .records where !onCitus, .references where !onCitus, .assetHolders where !onCitus:
      return statement
    default:
      return "\(statement) ORDER BY \((1...keyLength).map { "\($0)" }.joined(separator: ", "))"
    }
  }

  private func statement(_ onCitus: Bool) -> String {
    switch self {
    case .settings:
      """
      SELECT name, value FROM settings
      WHERE name NOT LIKE 'notifier-cursor%' AND name NOT IN ('copied-back', 'move')
      """
    case .users:
      """
      SELECT id, name, password_hash, email, phone, given_name, family_name, token_epoch,
        discoverable FROM users
      """
    case .identities: "SELECT issuer, subject, user_id FROM identities"
    case .apiTokens: "SELECT token, name, container, environment, origins, callback FROM api_tokens"
    case .serverKeys:
      "SELECT id, name, container, environment, public_key, user_id FROM server_keys"
    case .usedSignatures: "SELECT identity, time FROM used_signatures"
    case .roles: "SELECT container, environment, role, user_id FROM role_members"
    case .databases, .zones, .records, .references, .assetHolders, .memberships, .shortGUIDs:
      inDatabases(onCitus)
    case .assetFiles: "SELECT checksum, object, size, digest, idle_since FROM asset_files"
    case .assetUploads: "SELECT id, checksum, began FROM asset_uploads"
    case .assetDiscards: "SELECT object FROM asset_discards"
    case .subscriptions, .devices, .mailboxes, .keptNotifications, .badges: ofUsers
    case .webhooks:
      """
      SELECT id, container, environment, url, secret, created, log_positions, failures,
        disabled_because, missed FROM webhooks
      """
    case .apnsSenders:
      "SELECT serial, container, topic, team, key_id, private_key FROM apns_senders"
    case .pushLog:
      """
      SELECT position, time, container, environment, user_id, device, channel, notification,
        subscription, request, subject, verdict, status, reason, attempt FROM push_log
      """
    case .operators: "SELECT id, name, role, password_hash, created FROM operators"
    case .operatorCredentials:
      """
      SELECT id, kind, name, operator_id, role, created, last_used, ends
      FROM operator_credentials
      """
    case .audit:
      """
      SELECT position, time, operator_name, address, request, action, subject, container, environment,
        status, refused FROM audit
      """
    case .log:
      """
      SELECT d.container, d.environment, d.owner,
        row_number() OVER (PARTITION BY l.bucket, l.database ORDER BY l.position),
        l.bucket || ':' || l.position, l.kind, e.container, e.environment, e.owner, z.name, l.name,
        l.type, l.subject, l.sequence, l.image, l.shares, l.container, l.environment,
        l."user", l.device, l.request, l.time,
        l.bucket, l.position, l.database, l.zone, l.checksum
      FROM log l JOIN databases d ON d.bucket = l.bucket AND d.id = l.database
        LEFT JOIN zones z ON z.bucket = l.bucket AND z.id = l.zone
        LEFT JOIN databases e ON e.bucket = z.bucket AND e.id = z.database
      """
    }
  }

  private func inDatabases(_ onCitus: Bool) -> String {
    switch self {
    case .databases:
      "SELECT container, environment, owner, sequence FROM databases WHERE sequence > 0"
    case .zones:
      """
      SELECT d.container, d.environment, d.owner, z.name, z.incarnation, z.last_sequence,
        z.deletion, z.has_shares
      FROM zones z JOIN databases d ON d.bucket = z.bucket AND d.id = z.database
      WHERE z.incarnation IS NOT NULL
      """
    case .records:
      zoneByZone(
        [
          "name", "type", "deleted_type", "deleted_creator", "deleted_shares", "sequence", "parent",
          "content", "checksum",
        ], of: "records", order: "name", andNumbers: true, onCitus)
    case .references:
      zoneByZone(
        ["target", "action", "name"], of: "record_references", order: "target, action, name",
        onCitus)
    case .assetHolders:
      zoneByZone(["name", "checksum"], of: "asset_holders", order: "name, checksum", onCitus)
    // Only those that are there twice, as all must be. OFFSET 0 has Citus fetch what is in buckets of users first.
    case .memberships:
      """
      SELECT o.container, o.environment, o.owner, o.zone_name, o.share, o.user_id
      FROM (
          SELECT container, environment, owner, zone_name, share, user_id FROM memberships OFFSET 0) o
        JOIN databases d ON d.container = o.container AND d.environment = o.environment
          AND d.owner = o.owner
        JOIN zones z ON z.bucket = d.bucket AND z.database = d.id AND z.name = o.zone_name
        JOIN members m ON m.bucket = z.bucket AND m.zone = z.id AND m.share = o.share
          AND m.user_id = o.user_id
      """
    default: "SELECT guid, container, environment, owner, zone_name, name FROM short_guids"
    }
  }

  /// Zones in their order, and of each its rows by the index that they have: nothing large is sorted. What the
  /// order is, is looked at by who reads. OFFSET 0 keeps the planner from making one join of it. Citus takes nothing
  /// but one join.
  ///
  /// - Parameter andNumbers: whether the zone's bucket and number come behind the columns.
  private func zoneByZone(
    _ columns: [String], of table: String, order: String, andNumbers: Bool = false,
    _ onCitus: Bool
  ) -> String {
    let ofZone = "d.container, d.environment, d.owner, z.name"
    let numbers = andNumbers ? ", z.bucket, z.id" : ""
    let zones = "zones z JOIN databases d ON d.bucket = z.bucket AND d.id = z.database"
    if onCitus {
      let names = columns.map { "r.\($0)" }.joined(separator: ", ")
      return """
        SELECT \(ofZone), \(names)\(numbers)
        FROM \(zones) JOIN \(table) r ON r.bucket = z.bucket AND r.zone = z.id
        """
    }
    return """
      SELECT z.container, z.environment, z.owner, z.name, r.*\(numbers) FROM (
          SELECT \(ofZone), z.bucket, z.id FROM \(zones) ORDER BY \(ofZone) OFFSET 0) AS z
        CROSS JOIN LATERAL (
          SELECT \(columns.joined(separator: ", ")) FROM \(table)
          WHERE bucket = z.bucket AND zone = z.id ORDER BY \(order) OFFSET 0) AS r
      """
  }

  private var ofUsers: String {
    switch self {
    case .subscriptions:
      """
      SELECT serial, container, environment, scope, user_id, id, starts, watched_type, content
      FROM subscriptions
      """
    case .devices:
      """
      SELECT container, environment, user_id, device, channel, token, token_environment, topic,
        push_key, push_secret, registered
      FROM devices
      """
    case .mailboxes:
      """
      SELECT container, environment, user_id, device,
        row_number() OVER (
          PARTITION BY container, environment, user_id, device ORDER BY position),
        notification, subscription, collapse, payload, time, request
      FROM mailbox
      """
    case .keptNotifications:
      """
      SELECT container, environment, user_id,
        row_number() OVER (PARTITION BY container, environment, user_id ORDER BY position),
        notification, subscription, payload, is_read
      FROM kept_notifications
      """
    default: "SELECT container, environment, user_id, badge FROM badges WHERE badge <> 0"
    }
  }
}
