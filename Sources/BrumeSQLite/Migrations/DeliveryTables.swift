// Delivery to the outside (docs/operating/push.md).

extension Migrations {
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
}
