// Version 1. What each table is for: docs/internals/postgres.md. Every text is compared by its bytes; rows of a
// bucket begin with its number, so that a database may be divided by it.

extension Migrations {
  /// What the store is, its locks, database keys and zones by number, settings.
  static let foundation = """
    CREATE TABLE store (
      version bigint NOT NULL, buckets bigint NOT NULL,
      sequence_floor bigint NOT NULL DEFAULT 0);
    CREATE TABLE writers (
      name text COLLATE "C" PRIMARY KEY, last_commit bigint NOT NULL,
      made timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 10);
    CREATE TABLE buckets (
      bucket bigint PRIMARY KEY,  -- -1: what belongs to none, -2: subscriptions to shared databases
      last bigint NOT NULL DEFAULT 0) WITH (fillfactor = 10);
    CREATE TABLE mail (
      bucket bigint PRIMARY KEY, last bigint NOT NULL DEFAULT 0) WITH (fillfactor = 10);
    CREATE TABLE notifiers (
      bucket bigint PRIMARY KEY,
      owner text COLLATE "C" NOT NULL DEFAULT '',
      epoch bigint NOT NULL DEFAULT 0,  -- rises with each owner
      until timestamptz NOT NULL DEFAULT '-infinity') WITH (fillfactor = 10);
    CREATE TABLE nodes (
      name text COLLATE "C" PRIMARY KEY, seen timestamptz NOT NULL) WITH (fillfactor = 10);
    CREATE SEQUENCE place_numbers INCREMENT BY 1000;
    CREATE TABLE databases (
      bucket bigint, id bigint,
      container text COLLATE "C" NOT NULL, environment text COLLATE "C" NOT NULL,
      owner text COLLATE "C" NOT NULL,  -- '' is the public database
      sequence bigint NOT NULL,
      floor bigint NOT NULL,  -- every new sequence is above it
      PRIMARY KEY (bucket, id),
      UNIQUE (bucket, container, environment, owner)) WITH (fillfactor = 60);
    CREATE TABLE zones (
      bucket bigint, id bigint,
      database bigint NOT NULL, name text COLLATE "C" NOT NULL,
      incarnation bigint,  -- NULL: the number is taken, the zone was never put
      last_sequence bigint NOT NULL,
      deletion text COLLATE "C",
      has_shares bigint NOT NULL,
      PRIMARY KEY (bucket, id),
      UNIQUE (bucket, database, name)) WITH (fillfactor = 60);
    CREATE INDEX zones_by_sequence ON zones (bucket, database, last_sequence);
    CREATE TABLE settings (
      bucket bigint,  -- -1: it belongs to none
      name text COLLATE "C", value bytea NOT NULL,
      PRIMARY KEY (bucket, name)) WITH (fillfactor = 70);
    """

  /// Records (a deleted one is a row without content), who refers to whom, and the log.
  static let records = """
    CREATE TABLE records (
      bucket bigint, zone bigint, name text COLLATE "C",
      type text COLLATE "C",  -- NULL for a deleted record
      deleted_type text COLLATE "C", deleted_creator text COLLATE "C",
      deleted_shares text COLLATE "C",
      sequence bigint NOT NULL,
      parent text COLLATE "C",
      content bytea,
      PRIMARY KEY (bucket, zone, name)) WITH (fillfactor = 90);
    -- Expressions, so that no planner takes these indexes for a look-up by name, and none that of names for
    -- a parent's children: a table that was empty when a plan was made looks the same in all of them.
    CREATE INDEX records_by_sequence ON records ((bucket + 0), (zone + 0), sequence);
    CREATE INDEX records_by_parent ON records ((bucket + 0), (zone + 0), parent, name)
      WHERE parent IS NOT NULL;
    CREATE TABLE record_references (
      bucket bigint, zone bigint, target text COLLATE "C", action text COLLATE "C",
      name text COLLATE "C",
      PRIMARY KEY (bucket, zone, target, action, name));
    CREATE TABLE asset_holders (
      bucket bigint, zone bigint, name text COLLATE "C", checksum text COLLATE "C",
      PRIMARY KEY (bucket, zone, name, checksum));
    CREATE INDEX asset_holders_by_file ON asset_holders (checksum);
    CREATE TABLE log (
      bucket bigint, position bigint,
      database bigint NOT NULL, kind bigint NOT NULL,
      zone bigint, name text COLLATE "C", type text COLLATE "C", subject text COLLATE "C",
      sequence bigint, image bytea, shares text COLLATE "C",
      container text COLLATE "C", environment text COLLATE "C",
      "user" text COLLATE "C", device text COLLATE "C", request text COLLATE "C" NOT NULL,
      time bigint NOT NULL,
      PRIMARY KEY (bucket, position));
    """

  /// What queries search.
  static let queries = """
    CREATE TABLE wanted_fields (
      bucket bigint, zone bigint, type text COLLATE "C", field text COLLATE "C",
      built_to text COLLATE "C", started bigint NOT NULL, behind bigint,
      PRIMARY KEY (bucket, zone, type, field));
    CREATE INDEX wanted_fields_unfinished ON wanted_fields (bucket, zone, type)
      WHERE built_to IS NOT NULL OR behind IS NOT NULL;
    CREATE TABLE index_keys (
      bucket bigint, id bigint,
      zone bigint NOT NULL, type text COLLATE "C" NOT NULL, field text COLLATE "C" NOT NULL,
      kind bigint NOT NULL,
      sparse bigint NOT NULL,  -- 1: a record of the type may lack the field
      cut bigint NOT NULL,  -- 1: a text may be there with its beginning only
      PRIMARY KEY (bucket, id));
    CREATE INDEX index_keys_by_zone ON index_keys (bucket, zone, id);
    CREATE TABLE query_index (
      bucket bigint, key bigint, value bytea, name text COLLATE "C",
      PRIMARY KEY (bucket, key, value, name));
    """
}
