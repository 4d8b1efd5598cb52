// The port's part for zones.

package import BrumeModel

package protocol ZoneReading {
  /// The zone's newest row, live or deleted; nil if it never existed.
  func zone(_ key: ZoneKey) throws -> Zone?
  /// Live zones in name order.
  func zones(in database: DatabaseKey) throws -> [Zone]
  /// Zones, live and deleted, with a last sequence in (`after`, …], in sequence order, at most
  /// `limit`.
  func zonesChanged(in database: DatabaseKey, after: Int64, limit: Int) throws -> [Zone]
  /// The database's last sequence; 0 if nothing was ever written.
  func lastSequence(in database: DatabaseKey) throws -> Int64
}

package protocol ZoneWriting {
  /// Inserts or replaces the zone's row.
  func put(_ zone: Zone) throws
  /// Deletes every record of the zone and every deletion line, without writing new lines: the zone's
  /// own row says what happened. The caller then puts the zone with its `deletion`.
  func removeContents(of zone: ZoneKey) throws
}
