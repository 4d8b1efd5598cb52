// Sign-in by a provider, roles, replay: what accounts got after version 1.

extension Migrations {
  static let signIn = """
    ALTER TABLE users ADD COLUMN discoverable INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE api_tokens ADD COLUMN callback TEXT;
    CREATE INDEX users_by_phone ON users (phone) WHERE phone IS NOT NULL;
    CREATE TABLE identities (
      issuer TEXT NOT NULL, subject TEXT NOT NULL, user TEXT NOT NULL,
      PRIMARY KEY (issuer, subject)) WITHOUT ROWID;
    CREATE TABLE role_members (
      container TEXT NOT NULL, environment TEXT NOT NULL, user TEXT NOT NULL, role TEXT NOT NULL,
      PRIMARY KEY (container, environment, user, role)) WITHOUT ROWID;
    CREATE TABLE used_signatures (
      identity TEXT PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX used_signatures_by_time ON used_signatures (time);
    """
}
