// Checksums of the rows of all other tables (decision 0042). As with the first ones, rows that are there already
// have none until they are written again.

extension Migrations {
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
