// Assets: files by checksum, who holds them, uploads without a save, objects to remove.

extension Migrations {
  static let assets = """
    CREATE TABLE asset_files (
      checksum TEXT PRIMARY KEY,
      object TEXT NOT NULL, size INTEGER NOT NULL, digest BLOB NOT NULL,
      idle_since INTEGER) WITHOUT ROWID;
    CREATE INDEX asset_files_by_idleness ON asset_files (idle_since) WHERE idle_since IS NOT NULL;
    CREATE TABLE asset_holders (
      zone INTEGER NOT NULL, name TEXT NOT NULL, checksum TEXT NOT NULL,
      PRIMARY KEY (zone, name, checksum)) WITHOUT ROWID;
    CREATE INDEX asset_holders_by_checksum ON asset_holders (checksum);
    CREATE TABLE asset_uploads (
      id TEXT PRIMARY KEY,
      checksum TEXT,  -- NULL: still arriving
      began INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX asset_uploads_by_checksum ON asset_uploads (checksum) WHERE checksum IS NOT NULL;
    CREATE INDEX asset_uploads_by_time ON asset_uploads (began);
    CREATE TABLE asset_discards (object TEXT PRIMARY KEY) WITHOUT ROWID;
    """
}
