// Version 5: what lets buckets be apart. A table can be divided by the bucket only if each of its unique indexes has the
// bucket; and processes say where they keep files, so that none begins that would keep them elsewhere.

extension Migrations {
  static let bucketsApart = """
    DROP INDEX devices_pushed;
    CREATE UNIQUE INDEX devices_pushed ON devices (serial, bucket) WHERE channel IN ('apns', 'webpush');
    ALTER TABLE nodes ADD COLUMN files text COLLATE "C";

    """
}
