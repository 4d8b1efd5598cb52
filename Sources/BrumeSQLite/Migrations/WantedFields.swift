// The query index holds only fields that queries ask for. What the first version indexed is dropped; it comes
// back as it is asked for.

extension Migrations {
  static let wantedFields = """
    DELETE FROM query_index;
    DELETE FROM index_keys;
    CREATE TABLE wanted_fields (
      zone INTEGER NOT NULL, type TEXT NOT NULL, field TEXT NOT NULL,
      built_to TEXT,  -- records up to this name are in the index; NULL: all of them
      started INTEGER NOT NULL,  -- 1: some record has been through the index
      PRIMARY KEY (zone, type, field)) WITHOUT ROWID;
    """
}
