// Assets: files by checksum, uploads without a save, objects to remove. Who holds which file is in the
// bucket of the record.

extension Migrations {
  static let assets = """
    CREATE TABLE asset_files (
      checksum text COLLATE "C" PRIMARY KEY,
      object text COLLATE "C" NOT NULL,
      size bigint NOT NULL,
      digest bytea NOT NULL,
      idle_since bigint);
    CREATE INDEX asset_files_by_idleness ON asset_files (idle_since, checksum)
      WHERE idle_since IS NOT NULL;
    CREATE TABLE asset_uploads (
      id text COLLATE "C" PRIMARY KEY,
      checksum text COLLATE "C",  -- NULL: still arriving
      began bigint NOT NULL);
    CREATE INDEX asset_uploads_by_checksum ON asset_uploads (checksum) WHERE checksum IS NOT NULL;
    CREATE INDEX asset_uploads_by_time ON asset_uploads (began, id);
    CREATE TABLE asset_discards (object text COLLATE "C" PRIMARY KEY);

    """
}
