// The first version. What each table is for: docs/internals/storage.md.

extension Migrations {
  static let foundation = places + records + subscriptions + notifications + accounts

  /// Database keys and zones by number.
  private static let places = """
    CREATE TABLE databases (
      id INTEGER PRIMARY KEY,
      container TEXT NOT NULL, environment TEXT NOT NULL,
      owner TEXT NOT NULL,  -- '' is the public database
      sequence INTEGER NOT NULL DEFAULT 0,
      UNIQUE (container, environment, owner));
    CREATE TABLE zones (
      id INTEGER PRIMARY KEY,
      database INTEGER NOT NULL, name TEXT NOT NULL,
      incarnation INTEGER,  -- NULL: the number is taken, the zone was never put
      last_sequence INTEGER NOT NULL DEFAULT 0,
      deletion TEXT,
      has_shares INTEGER NOT NULL DEFAULT 0,
      UNIQUE (database, name));
    """

  /// Records (a deleted one is a row without content), what queries search, who refers to whom.
  private static let records = """
    CREATE TABLE records (
      id INTEGER PRIMARY KEY,
      zone INTEGER NOT NULL, name TEXT NOT NULL,
      type TEXT,  -- NULL for a deleted record
      deleted_type TEXT,
      sequence INTEGER NOT NULL,
      parent TEXT,
      content BLOB);
    CREATE INDEX records_by_name ON records (zone, name, type);
    CREATE INDEX records_by_sequence ON records (zone, sequence);
    CREATE INDEX records_by_parent ON records (zone, parent, name) WHERE parent IS NOT NULL;
    CREATE TABLE index_keys (
      id INTEGER PRIMARY KEY,
      zone INTEGER NOT NULL, type TEXT NOT NULL, field TEXT NOT NULL, kind INTEGER NOT NULL,
      sparse INTEGER NOT NULL,  -- 1: a record of the type may lack the field
      cut INTEGER NOT NULL,  -- 1: a text may be there with its beginning only
      UNIQUE (zone, type, field, kind));
    CREATE TABLE query_index (
      key INTEGER NOT NULL, value NOT NULL, name TEXT NOT NULL,
      PRIMARY KEY (key, value, name)) WITHOUT ROWID;
    CREATE TABLE record_references (
      zone INTEGER NOT NULL, target TEXT NOT NULL, action TEXT NOT NULL, name TEXT NOT NULL,
      PRIMARY KEY (zone, target, action, name)) WITHOUT ROWID;
    CREATE TABLE log (
      position INTEGER PRIMARY KEY,
      database INTEGER NOT NULL, kind INTEGER NOT NULL,
      zone INTEGER, name TEXT, type TEXT, subject TEXT,
      sequence INTEGER, image BLOB, shares TEXT,
      user TEXT, device TEXT, request TEXT NOT NULL, time INTEGER NOT NULL);
    """

  private static let subscriptions = """
    CREATE TABLE subscriptions (
      serial INTEGER PRIMARY KEY AUTOINCREMENT,
      container TEXT NOT NULL, environment TEXT NOT NULL, scope TEXT NOT NULL, user TEXT NOT NULL,
      id TEXT NOT NULL,
      birth INTEGER NOT NULL,
      watched_type TEXT,
      content BLOB NOT NULL,
      UNIQUE (container, environment, scope, user, id));
    CREATE INDEX subscriptions_by_type
      ON subscriptions (container, environment, scope, watched_type, user)
      WHERE watched_type IS NOT NULL;
    """

  private static let notifications = """
    CREATE TABLE devices (
      id INTEGER PRIMARY KEY,
      container TEXT NOT NULL, environment TEXT NOT NULL, user TEXT NOT NULL, device TEXT NOT NULL,
      channel TEXT,  -- NULL: the number is taken, the device is not registered
      token TEXT, token_environment TEXT,
      registered INTEGER,
      UNIQUE (container, environment, user, device));
    CREATE INDEX devices_by_token ON devices (token) WHERE token IS NOT NULL;
    CREATE TABLE mailbox (
      position INTEGER PRIMARY KEY,
      device INTEGER NOT NULL, notification TEXT NOT NULL, subscription TEXT NOT NULL,
      collapse TEXT, payload BLOB NOT NULL, time INTEGER NOT NULL, request TEXT NOT NULL,
      UNIQUE (device, notification, subscription));
    CREATE INDEX mailbox_by_device ON mailbox (device);
    CREATE TABLE inboxes (
      id INTEGER PRIMARY KEY,
      container TEXT NOT NULL, environment TEXT NOT NULL, user TEXT NOT NULL,
      badge INTEGER NOT NULL DEFAULT 0,
      UNIQUE (container, environment, user));
    CREATE TABLE kept_notifications (
      position INTEGER PRIMARY KEY,
      inbox INTEGER NOT NULL, notification TEXT NOT NULL, subscription TEXT NOT NULL,
      payload BLOB NOT NULL, is_read INTEGER NOT NULL,
      UNIQUE (inbox, notification, subscription));
    CREATE INDEX kept_notifications_by_inbox ON kept_notifications (inbox);
    """

  private static let accounts = """
    CREATE TABLE users (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL, password_hash TEXT, email TEXT, phone TEXT,
      given_name TEXT, family_name TEXT, token_epoch INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX users_by_name ON users (name);
    CREATE INDEX users_by_email ON users (email) WHERE email IS NOT NULL;
    CREATE TABLE api_tokens (
      token TEXT PRIMARY KEY,
      name TEXT NOT NULL, container TEXT NOT NULL, environment TEXT NOT NULL,
      origins TEXT) WITHOUT ROWID;
    CREATE TABLE server_keys (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL, container TEXT NOT NULL, environment TEXT NOT NULL,
      public_key TEXT NOT NULL, user TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE memberships (
      user TEXT NOT NULL, zone INTEGER NOT NULL, share TEXT NOT NULL,
      PRIMARY KEY (user, zone, share)) WITHOUT ROWID;
    CREATE INDEX memberships_by_zone ON memberships (zone);
    CREATE TABLE short_guids (
      guid TEXT PRIMARY KEY, zone INTEGER NOT NULL, name TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    """
}
