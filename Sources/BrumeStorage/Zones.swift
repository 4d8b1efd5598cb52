// The port's part for zones.

package import BrumeModel

/// Every call throws what ``ReadTransaction`` says, and the `BrumeError` for damage if the row of a zone
/// cannot be read.
package protocol ZoneReading: AnyObject {
  /// The zone's newest row, live or deleted; nil if it never existed.
  func find(_ key: ZoneKey) throws -> Zone?
  /// Live zones in name order.
  func all(in database: DatabaseKey) throws -> [Zone]
  /// Zones, live and deleted, with a last sequence in (`after`, …], in sequence order, at most
  /// `limit`.
  func changed(in database: DatabaseKey, after: Int64, limit: Int) throws -> [Zone]
  /// Zones, live and deleted, counted no further than `limit`. Names whose zone was never put may be among them.
  func count(in database: DatabaseKey, limit: Int) throws -> Int
  /// The private databases of a user in which something was ever written, in the order of containers.
  func databases(of owner: UserID) throws -> [DatabaseKey]
  /// The databases of a container environment in which something was ever written, in the order of owners,
  /// the public one first.
  func databases(in containerEnvironment: ContainerEnvironment) throws -> [DatabaseKey]
  /// Deleted zones of which rows are left, because their deletion was cut short; at most `limit`.
  func unfinishedDeletions(limit: Int) throws -> [ZoneKey]
  /// How many databases something was ever written in, by container environment.
  func databaseCounts() throws -> [ContainerEnvironment: Int]
}

/// Throws what ``WriteTransaction`` says; the write's scope has the database.
package protocol ZoneWriting: ZoneReading {
  /// Inserts or replaces the zone's row.
  func put(_ zone: Zone) throws
}
