// Many new records at once come into the query index later, together. What is not finished is found
// without a look at all fields of all zones.

extension Migrations {
  static let lateIndexRows = """
    -- Records with a greater sequence may not be in the index; NULL: there are none.
    ALTER TABLE wanted_fields ADD COLUMN behind INTEGER;
    CREATE INDEX wanted_fields_unfinished ON wanted_fields (zone, type, field)
      WHERE built_to IS NOT NULL OR behind IS NOT NULL;
    """
}
