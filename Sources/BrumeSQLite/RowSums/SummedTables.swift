// All tables with sums, each with the columns that they are of. `EveryTableTests` holds the list against the tables
// themselves, and has the reasons why others have none.

extension SummedTable {
  static let all: [SummedTable] = places + notices + accounts + logs + assets + indexes
}

// MARK: Places and records

extension SummedTable {
  private static let places = [databases, sequences, zones, records, settings, log, images]

  static let databases = SummedTable(
    name: "databases", columns: ["container", "environment", "owner"],
    key: "{container} {environment} '{owner}'")
  /// The last sequence of a database, which is written apart.
  static let sequences = SummedTable(
    name: "databases", columns: ["container", "environment", "owner", "sequence"],
    key: "the sequence of {container} {environment} '{owner}'", sum: "sequence_checksum",
    isBesideAnother: true)
  static let zones = SummedTable(
    name: "zones",
    columns: [
      "id", "database", "name", "incarnation", "last_sequence", "deletion", "has_shares",
    ], key: "zone '{name}', number {id}")
  static let records = SummedTable(
    name: "records",
    columns: [
      "zone", "name", "type", "deleted_type", "deleted_creator", "deleted_shares", "sequence",
      "parent", "content",
    ], key: "'{name}' in zone number {zone}")
  static let settings = SummedTable(
    name: "settings", columns: ["name", "value"], key: "'{name}'")
  /// Without the image, which is dropped by itself.
  static let log = SummedTable(
    name: "log",
    columns: [
      "position", "database", "kind", "zone", "name", "type", "subject", "sequence", "shares",
      "user", "device", "request", "time", "container", "environment",
    ], key: "position {position}")
  static let images = SummedTable(
    name: "log", columns: ["position", "image"], key: "image of position {position}",
    sum: "image_checksum", isBesideAnother: true)
}

// MARK: What waits, and whom it is for

extension SummedTable {
  private static let notices = [
    subscriptions, devices, mailbox, inboxes, kept, apnsSenders, webhooks,
  ]

  static let subscriptions = SummedTable(
    name: "subscriptions",
    columns: [
      "container", "environment", "scope", "user", "id", "birth", "watched_type", "content",
    ], key: "'{id}' of {user}")
  static let devices = SummedTable(
    name: "devices",
    columns: [
      "container", "environment", "user", "device", "channel", "token", "token_environment",
      "registered", "detail", "id",
    ], key: "'{device}' of {user} in {container} {environment}")
  static let mailbox = SummedTable(
    name: "mailbox",
    columns: [
      "position", "device", "notification", "subscription", "collapse", "payload", "time",
      "request",
    ], key: "position {position}")
  static let inboxes = SummedTable(
    name: "inboxes", columns: ["container", "environment", "user", "badge", "id"],
    key: "of {user} in {container} {environment}")
  static let kept = SummedTable(
    name: "kept_notifications",
    columns: ["position", "inbox", "notification", "subscription", "payload", "is_read"],
    key: "position {position}")
  static let apnsSenders = SummedTable(
    name: "apns_senders",
    columns: ["container", "topic", "team", "key_id", "private_key", "id"],
    key: "'{topic}' in {container}")
  static let webhooks = SummedTable(
    name: "webhooks",
    columns: [
      "id", "container", "environment", "url", "secret", "created", "cursor", "batch_end",
      "failures", "disabled_because", "missed",
    ], key: "'{id}' in {container} {environment}")
}

// MARK: Accounts and rights

extension SummedTable {
  private static let accounts = [
    users, identities, apiTokens, serverKeys, usedSignatures, roleMembers, memberships, shortGUIDs,
    operators, operatorCredentials,
  ]

  static let users = SummedTable(
    name: "users",
    columns: [
      "id", "name", "password_hash", "email", "phone", "given_name", "family_name", "token_epoch",
      "discoverable",
    ], key: "'{id}'")
  static let identities = SummedTable(
    name: "identities", columns: ["issuer", "subject", "user"], key: "'{subject}' of {issuer}")
  static let apiTokens = SummedTable(
    name: "api_tokens",
    columns: ["token", "name", "container", "environment", "origins", "callback"],
    key: "'{name}' in {container} {environment}")
  static let serverKeys = SummedTable(
    name: "server_keys",
    columns: ["id", "name", "container", "environment", "public_key", "user"],
    key: "'{name}' in {container} {environment}")
  static let usedSignatures = SummedTable(
    name: "used_signatures", columns: ["identity", "time"], key: "of time {time}")
  static let roleMembers = SummedTable(
    name: "role_members", columns: ["container", "environment", "user", "role"],
    key: "{user} as '{role}' in {container} {environment}")
  static let memberships = SummedTable(
    name: "memberships", columns: ["user", "zone", "share"],
    key: "{user} in '{share}' of zone number {zone}")
  static let shortGUIDs = SummedTable(
    name: "short_guids", columns: ["guid", "zone", "name"],
    key: "of '{name}' in zone number {zone}")
  static let operators = SummedTable(
    name: "operators", columns: ["id", "name", "role", "password_hash", "created"], key: "'{name}'")
  static let operatorCredentials = SummedTable(
    name: "operator_credentials",
    columns: ["id", "kind", "name", "operator_id", "role", "created", "last_used", "ends"],
    key: "{kind} '{name}', made at {created}")
}

// MARK: Logs, files, indexes

extension SummedTable {
  private static let logs = [pushLog, servedChanges, audit]
  private static let assets = [assetFiles, assetUploads, assetDiscards]
  private static let indexes = [wantedFields, indexKeys, goneRecords]

  static let pushLog = SummedTable(
    name: "push_log",
    columns: [
      "time", "container", "environment", "user", "device", "channel", "notification",
      "subscription", "request", "subject", "verdict", "status", "reason", "attempt", "position",
    ], key: "position {position}")
  static let servedChanges = SummedTable(
    name: "served_changes",
    columns: ["last", "position", "generation", "time", "deliveries", "bytes"],
    key: "delivery {last}")
  static let audit = SummedTable(
    name: "audit",
    columns: [
      "time", "operator_name", "address", "request", "action", "subject", "container",
      "environment", "status", "refused", "position",
    ], key: "position {position}")

  static let assetFiles = SummedTable(
    name: "asset_files", columns: ["checksum", "object", "size", "digest", "idle_since"],
    key: "object '{object}'", sum: "row_checksum")
  static let assetUploads = SummedTable(
    name: "asset_uploads", columns: ["id", "checksum", "began"], key: "'{id}'",
    sum: "row_checksum")
  static let assetDiscards = SummedTable(
    name: "asset_discards", columns: ["object"], key: "'{object}'")

  static let wantedFields = SummedTable(
    name: "wanted_fields",
    columns: ["zone", "type", "field", "built_to", "started", "behind"],
    key: "'{field}' of {type} in zone number {zone}")
  static let indexKeys = SummedTable(
    name: "index_keys",
    columns: ["zone", "type", "field", "kind", "sparse", "cut", "id"],
    key: "'{field}' of {type} in zone number {zone}")
  static let goneRecords = SummedTable(
    name: "gone_records", columns: ["zone", "type", "row", "content", "id"],
    key: "number {id}, of {type} in zone number {zone}")
}
