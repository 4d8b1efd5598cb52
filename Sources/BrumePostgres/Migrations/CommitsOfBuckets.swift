// Version 7: on Citus the rows of writing connections are with the buckets that they write to, so that a save is a commit on
// one server.

extension Migrations {
  static let commitsOfBuckets = """
    CREATE TABLE commits (
      bucket bigint,
      writer text COLLATE "C",
      last_commit bigint NOT NULL,
      made timestamptz NOT NULL,
      PRIMARY KEY (bucket, writer)) WITH (fillfactor = 10);

    """
}
