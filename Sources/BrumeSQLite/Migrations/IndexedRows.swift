// A row of the query index also says which row of `records` it leads to, so that a match is read without
// a search for its name.

extension Migrations {
  static let indexedRows = """
    CREATE TABLE query_rows (
      key INTEGER NOT NULL, value NOT NULL, name TEXT NOT NULL, row INTEGER NOT NULL,
      PRIMARY KEY (key, value, name)) WITHOUT ROWID;
    INSERT INTO query_rows
      SELECT query_index.key, query_index.value, query_index.name, records.id FROM query_index
      CROSS JOIN index_keys ON index_keys.id = query_index.key
      CROSS JOIN records ON records.zone = index_keys.zone AND records.name = query_index.name
      ORDER BY query_index.key, query_index.value, query_index.name;
    DROP TABLE query_index;
    ALTER TABLE query_rows RENAME TO query_index;
    """
}
