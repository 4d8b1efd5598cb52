// In which shares of others a caller takes part: which of their zones he sees at all.

import BrumeModel
import BrumeStorage

/// The shares of others that the caller of a request takes part in, read once for all zones that it names.
struct JoinedShares {
  private var byZone: [ZoneKey: [Membership]]?

  mutating func memberships(
    of user: UserID, in zone: ZoneKey, from transaction: any ReadTransaction
  ) throws -> [Membership] {
    let known =
      try byZone
      ?? Dictionary(
        grouping: transaction.shares.memberships(
          of: user, in: zone.database.containerEnvironment), by: \.share.zone)
    byZone = known
    return known[zone] ?? []
  }
}
