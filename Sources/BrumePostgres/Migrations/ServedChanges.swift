// Version 2: the history of deliveries (docs/internals/trace.md). Each bucket counts its own.

extension Migrations {
  static let servedChanges = """
    CREATE TABLE served_changes (
      bucket bigint NOT NULL,
      last bigint NOT NULL,  -- the number of its last delivery
      position bigint NOT NULL,  -- of the change, in the bucket's log
      generation bigint NOT NULL,
      time bigint NOT NULL,
      deliveries bigint NOT NULL,
      bytes bytea NOT NULL,
      PRIMARY KEY (bucket, last));
    CREATE INDEX served_changes_by_position ON served_changes (bucket, position);

    """
}
