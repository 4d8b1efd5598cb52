// The history of deliveries (docs/internals/trace.md).

extension Migrations {
  static let servedChanges = """
    CREATE TABLE served_changes (
      last INTEGER PRIMARY KEY,  -- the number of its last delivery
      position INTEGER NOT NULL,  -- of the change, in the log
      generation INTEGER NOT NULL, time INTEGER NOT NULL,
      deliveries INTEGER NOT NULL, bytes BLOB NOT NULL);
    CREATE INDEX served_changes_by_position ON served_changes (position);
    """
}
