// Checksums of rows (decision 0042). Rows that are there already have none until they are written again:
// computing them would make a start take as long as reading the whole store.

extension Migrations {
  static let rowSums =
    [
      "records", "log", "databases", "zones", "settings", "subscriptions", "mailbox",
      "kept_notifications",
    ].map { "ALTER TABLE \($0) ADD COLUMN checksum INTEGER;" }.joined(separator: "\n")
    // Of the image alone, which may be dropped before its entry.
    + "\nALTER TABLE log ADD COLUMN image_checksum INTEGER;"
}
