// Operators, what they prove themselves with, and what they did.

extension Migrations {
  static let operators = """
    CREATE TABLE operators (
      id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, role TEXT NOT NULL,
      password_hash TEXT NOT NULL, created INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE operator_credentials (
      id TEXT PRIMARY KEY,  -- SHA-256 of the secret
      kind TEXT NOT NULL, name TEXT NOT NULL,
      operator_id TEXT,  -- NULL: of the machine's owner
      role TEXT NOT NULL, created INTEGER NOT NULL, last_used INTEGER,
      ends INTEGER  -- NULL: not by itself
    ) WITHOUT ROWID;
    CREATE TABLE audit (
      position INTEGER PRIMARY KEY AUTOINCREMENT,
      time INTEGER NOT NULL,
      operator_name TEXT NOT NULL,  -- empty: nobody who is known
      address TEXT NOT NULL, request TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL,
      container TEXT NOT NULL, environment TEXT NOT NULL,
      status INTEGER,  -- NULL: the answer is not known
      refused INTEGER NOT NULL);
    CREATE INDEX audit_by_time ON audit (time);
    CREATE INDEX audit_by_request ON audit (request);
    CREATE INDEX audit_refused ON audit (position) WHERE refused = 1;
    CREATE INDEX audit_done ON audit (position) WHERE refused = 0;
    """
}
