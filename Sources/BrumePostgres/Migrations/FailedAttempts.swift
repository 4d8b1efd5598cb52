// Version 6: attempts to sign in, for all processes, and the row whose lock guards them: -3.

extension Migrations {
  static let failedAttempts = """
    CREATE TABLE failed_attempts (
      key bytea PRIMARY KEY,  -- a digest of a name, or of an address
      failures bigint NOT NULL,
      last bigint NOT NULL,
      until bigint NOT NULL) WITH (fillfactor = 70);
    CREATE INDEX failed_attempts_by_time ON failed_attempts (last);
    INSERT INTO buckets (bucket) VALUES (-3);

    """
}
