// Checksums of rows (decision 0042). Rows that are there already have none until they are written again.

extension Migrations {
  static let rowSums = """
    ALTER TABLE records ADD COLUMN checksum bigint;
    ALTER TABLE log ADD COLUMN checksum bigint;

    """
}
