// The notifications of a mailbox are kept apart by a digest of their names, in the one index by which the mailbox
// is also found (decision 0045). Two indexes, one of them with the names themselves, took two fifths of the
// pages that a change to many devices wrote.

extension Migrations {
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
}
