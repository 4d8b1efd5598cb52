// The port's part for shares: who accepted which, and the short names that they are found by. The share
// itself is a record.

package import BrumeModel

/// Every call throws what ``ReadTransaction`` says.
package protocol ShareReading: AnyObject {
  /// Shares of others that a user accepted in a container environment, in zone and name order.
  func memberships(
    of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws -> [Membership]
  /// Everybody who accepted a share of this zone.
  func memberships(in zone: ZoneKey) throws -> [Membership]
  /// The record that a short GUID names.
  func record(shortGUID: String) throws -> RecordKey?
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has the database of the zone.
package protocol ShareWriting: ShareReading {
  /// Notes that a user accepted a share; nothing changes if it is noted.
  func put(_ membership: Membership) throws
  /// Forgets that a user accepted a share, if it is noted.
  func remove(_ membership: Membership) throws
  /// Lets a short GUID name a record, instead of what it named before.
  func setShortGUID(_ shortGUID: String, record: RecordKey) throws
}
