// Versions 9 to 16, in their order.

extension Migrations {
  /// What stood behind a line break in another column gets a column of its own: the shares that covered a deleted
  /// record, and where the subscription of a log entry is.
  static let ownColumns = """
    ALTER TABLE records ADD COLUMN deleted_shares TEXT;  -- names, each ended by a line break
    UPDATE records SET
      deleted_type = substr(deleted_type, 1, instr(deleted_type, char(10)) - 1),
      deleted_shares = substr(deleted_type, instr(deleted_type, char(10)) + 1) || char(10)
      WHERE instr(deleted_type, char(10)) > 0;
    ALTER TABLE log ADD COLUMN container TEXT;
    ALTER TABLE log ADD COLUMN environment TEXT;
    UPDATE log SET
      container = substr(shares, 1, instr(shares, char(10)) - 1),
      environment = rtrim(substr(shares, instr(shares, char(10)) + 1), char(10)),
      shares = NULL
      WHERE kind = 5;  -- a subscription that was saved or deleted
    """

  /// A row of the query index also says which row of `records` it leads to, so that a match is read without a search
  /// for its name.
  static let indexedRows = """
    CREATE TABLE query_rows (
      key INTEGER NOT NULL, value NOT NULL, name TEXT NOT NULL, row INTEGER NOT NULL,
      PRIMARY KEY (key, value, name)) WITHOUT ROWID;
    INSERT INTO query_rows
      SELECT query_index.key, query_index.value, query_index.name, records.id FROM query_index
      CROSS JOIN index_keys ON index_keys.id = query_index.key
      CROSS JOIN records ON records.zone = index_keys.zone AND records.name = query_index.name
      ORDER BY query_index.key, query_index.value, query_index.name;
    DROP TABLE query_index;
    ALTER TABLE query_rows RENAME TO query_index;
    """

  /// Many new records at once come into the query index later, together. What is not finished is found without a look
  /// at all fields of all zones.
  static let lateIndexRows = """
    -- Records with a greater sequence may not be in the index; NULL: there are none.
    ALTER TABLE wanted_fields ADD COLUMN behind INTEGER;
    CREATE INDEX wanted_fields_unfinished ON wanted_fields (zone, type, field)
      WHERE built_to IS NOT NULL OR behind IS NOT NULL;
    """

  /// Operators, what they prove themselves with, and what they did.
  static let operators = """
    CREATE TABLE operators (
      id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, role TEXT NOT NULL,
      password_hash TEXT NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE operator_credentials (
      id TEXT PRIMARY KEY,  -- SHA-256 of the secret
      kind TEXT NOT NULL, name TEXT NOT NULL,
      operator_id TEXT,  -- NULL: of the machine's owner
      role TEXT NOT NULL, created INTEGER NOT NULL, last_used INTEGER,
      ends INTEGER  -- NULL: not by itself
    ) WITHOUT ROWID;
    CREATE TABLE audit (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      time INTEGER NOT NULL,
      operator_name TEXT NOT NULL,  -- empty: nobody who is known
      address TEXT NOT NULL, request TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL,
      container TEXT NOT NULL, environment TEXT NOT NULL,
      status INTEGER,  -- NULL: the answer is not known
      refused INTEGER NOT NULL);
    CREATE INDEX audit_by_time ON audit (time);
    CREATE INDEX audit_by_request ON audit (request);
    CREATE INDEX audit_refused ON audit (position) WHERE refused = 1;
    CREATE INDEX audit_done ON audit (position) WHERE refused = 0;
    """

  /// The history of deliveries (docs/internals/trace.md).
  static let servedChanges = """
    CREATE TABLE served_changes (
      last INTEGER PRIMARY KEY,  -- the number of its last delivery
      position INTEGER NOT NULL,  -- of the change, in the log
      generation INTEGER NOT NULL, time INTEGER NOT NULL,
      deliveries INTEGER NOT NULL, bytes BLOB NOT NULL);
    CREATE INDEX served_changes_by_position ON served_changes (position);
    """

  /// Checksums of rows (decision 0042). Rows that are there already have none until they are written again: computing
  /// them would make a start take as long as reading the whole store.
  static let rowSums =
    [
      "records", "log", "databases", "zones", "settings", "subscriptions", "mailbox",
      "kept_notifications",
    ].map { "ALTER TABLE \($0) ADD COLUMN checksum INTEGER;" }.joined(separator: "\n")
    // Of the image alone, which may be dropped before its entry.
    + "\nALTER TABLE log ADD COLUMN image_checksum INTEGER;"

  /// The notifications of a mailbox are kept apart by a digest of their names, in the one index by which the mailbox is
  /// also found (decision 0045). Two indexes, one of them with the names themselves, took two fifths of the pages that
  /// a change to many devices wrote.
  /// Entries that wait already are made by a notifier that is past them: they only have to differ.
  static let mailboxDigests = """
    CREATE TABLE new_mailbox (
      position INTEGER PRIMARY KEY,
      device INTEGER NOT NULL, notification TEXT NOT NULL, subscription TEXT NOT NULL,
      collapse TEXT, payload BLOB NOT NULL, time INTEGER NOT NULL, request TEXT NOT NULL,
      checksum INTEGER,
      digest INTEGER NOT NULL  -- row_sum(notification, subscription)
    );
    INSERT INTO new_mailbox
      SELECT position, device, notification, subscription, collapse, payload, time, request, checksum,
        -position
      FROM mailbox;
    DROP TABLE mailbox;
    ALTER TABLE new_mailbox RENAME TO mailbox;
    CREATE UNIQUE INDEX mailbox_by_device ON mailbox (device, digest);
    """

  /// Checksums of the rows of all other tables (decision 0042). As with the first ones, rows that are there already
  /// have none until they are written again.
  static let moreRowSums =
    [
      "devices", "inboxes", "apns_senders", "webhooks", "users", "identities", "api_tokens",
      "server_keys", "used_signatures", "role_members", "memberships", "short_guids", "operators",
      "operator_credentials", "push_log", "served_changes", "audit", "asset_discards",
      "wanted_fields", "index_keys",
    ].map { "ALTER TABLE \($0) ADD COLUMN checksum INTEGER;" }.joined(separator: "\n")
      // Here a checksum is that of a file.
      + """

      ALTER TABLE asset_files ADD COLUMN row_checksum INTEGER;
      ALTER TABLE asset_uploads ADD COLUMN row_checksum INTEGER;
      -- Of the sequence alone, which is written apart.
      ALTER TABLE databases ADD COLUMN sequence_checksum INTEGER;
      """
}
