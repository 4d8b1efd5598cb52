// Versions 2 to 8, in their order.

extension Migrations {
  /// The query index holds only fields that queries ask for. What the first version indexed is dropped; it comes back
  /// as it is asked for.
  static let wantedFields = """
    DELETE FROM query_index;
    DELETE FROM index_keys;
    CREATE TABLE wanted_fields (
      zone INTEGER NOT NULL, type TEXT NOT NULL, field TEXT NOT NULL,
      built_to TEXT,  -- records up to this name are in the index; NULL: all of them
      started INTEGER NOT NULL,  -- 1: some record has been through the index
      PRIMARY KEY (zone, type, field)) WITHOUT ROWID;
    """

  /// Assets: files by checksum, who holds them, uploads without a save, objects to remove.
  static let assets = """
    CREATE TABLE asset_files (
      checksum TEXT PRIMARY KEY,
      object TEXT NOT NULL, size INTEGER NOT NULL, digest BLOB NOT NULL,
      idle_since INTEGER) WITHOUT ROWID;
    CREATE INDEX asset_files_by_idleness ON asset_files (idle_since) WHERE idle_since IS NOT NULL;
    CREATE TABLE asset_holders (
      zone INTEGER NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL,
      PRIMARY KEY (zone, name, checksum)) WITHOUT ROWID;
    CREATE INDEX asset_holders_by_checksum ON asset_holders (checksum);
    CREATE TABLE asset_uploads (
      id TEXT PRIMARY KEY,
      checksum TEXT,  -- NULL: still arriving
      began INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX asset_uploads_by_checksum ON asset_uploads (checksum) WHERE checksum IS NOT NULL;
    CREATE INDEX asset_uploads_by_time ON asset_uploads (began);
    CREATE TABLE asset_discards (object TEXT PRIMARY KEY) WITHOUT ROWID;
    """

  /// Sign-in by a provider, roles, replay: what accounts got after version 1.
  static let signIn = """
    ALTER TABLE users ADD COLUMN discoverable INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE api_tokens ADD COLUMN callback TEXT;
    CREATE INDEX users_by_phone ON users (phone) WHERE phone IS NOT NULL;
    CREATE TABLE identities (
      issuer TEXT NOT NULL, subject TEXT NOT NULL, user TEXT NOT NULL,
      PRIMARY KEY (issuer, subject)) WITHOUT ROWID;
    CREATE TABLE role_members (
      container TEXT NOT NULL, environment TEXT NOT NULL, user TEXT NOT NULL, role TEXT NOT NULL,
      PRIMARY KEY (container, environment, user, role)) WITHOUT ROWID;
    CREATE TABLE used_signatures (
      identity TEXT PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX used_signatures_by_time ON used_signatures (time);
    """

  /// Delivery to the outside (docs/operating/push.md).
  static let delivery = """
    ALTER TABLE devices ADD COLUMN detail TEXT;  -- APNs: the topic; Web Push: key and secret
    CREATE INDEX devices_pushed ON devices (id) WHERE channel IN ('apns', 'webpush');
    CREATE TABLE apns_senders (
      id INTEGER PRIMARY KEY,
      container TEXT NOT NULL, topic TEXT NOT NULL,
      team TEXT NOT NULL, key_id TEXT NOT NULL, private_key TEXT NOT NULL,
      UNIQUE (container, topic));
    CREATE TABLE webhooks (
      id TEXT PRIMARY KEY,
      container TEXT NOT NULL, environment TEXT NOT NULL,
      url TEXT NOT NULL, secret BLOB NOT NULL, created INTEGER NOT NULL,
      cursor INTEGER NOT NULL, batch_end INTEGER, failures INTEGER NOT NULL,
      disabled_because TEXT,  -- NULL: on
      missed INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE push_log (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      time INTEGER NOT NULL,
      container TEXT NOT NULL, environment TEXT NOT NULL, user TEXT, device TEXT NOT NULL,
      channel TEXT NOT NULL, notification TEXT NOT NULL, subscription TEXT NOT NULL,
      request TEXT NOT NULL, subject TEXT NOT NULL,
      verdict TEXT NOT NULL, status INTEGER, reason TEXT NOT NULL, attempt INTEGER NOT NULL);
    """

  /// Signing out everywhere looks for a user's devices in all containers.
  static let devicesOfUser = "CREATE INDEX devices_of_user ON devices (user);"

  /// Who made a deleted record of the public database, so that a push that still waits can be judged. Other databases
  /// leave it empty.
  static let deletedCreators = "ALTER TABLE records ADD COLUMN deleted_creator TEXT;"

  /// Addresses are found in any case. They stay as they were typed; only the index reads them so.
  static let emailCase = """
    DROP INDEX users_by_email;
    CREATE INDEX users_by_email ON users (email COLLATE NOCASE) WHERE email IS NOT NULL;
    """
}
