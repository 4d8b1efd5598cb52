// Version 17.

extension Migrations {
  /// Records that were changed or removed, and whose rows of the query index go later because they are many.
  static let goneRecords = """
    CREATE TABLE gone_records (
      id INTEGER PRIMARY KEY,
      zone INTEGER NOT NULL, type TEXT NOT NULL,
      row INTEGER NOT NULL,  -- of `records`, where it may be again
      content BLOB NOT NULL,  -- as it was
      checksum INTEGER);
    CREATE INDEX gone_records_by_type ON gone_records (zone, type);
    """
}
