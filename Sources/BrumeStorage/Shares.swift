// The port's part for shares: who accepted which, and the short names that they are found by. The share
// itself is a record.

package import BrumeModel

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

package protocol ShareWriting: ShareReading {
  func put(_ membership: Membership) throws
  func remove(_ membership: Membership) throws
  func setShortGUID(_ shortGUID: String, record: RecordKey) throws
}
