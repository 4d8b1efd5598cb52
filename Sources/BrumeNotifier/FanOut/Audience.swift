// Who is notified of a change. Two questions: which users may see it, and which of a user's devices.
//
// The users are asked for when the notification is made, not when the record was saved: whoever lost
// the permission in between gets nothing (docs/internals/notifications.md, N11).

import BrumeCore
package import BrumeModel
import BrumeStorage

/// Users and devices that a change concerns.
package enum Audience {
  /// The devices of a subscriber that are notified: all except the one that made the change, for
  /// creates, updates and deletes alike (case PSH-01). Device IDs are unique per user only.
  package static func devices(_ devices: [Device], except origin: Origin) -> [Device] {
    guard let user = origin.user, let device = origin.device,
      // All are the same user's in a fan-out, and of most changes it is another's.
      devices.contains(where: { $0.key.user == user })
    else { return devices }
    let name = ByteText(device.name)
    return devices.filter { $0.key.user != user || ByteText($0.key.device.name) != name }
  }

  /// The users whose shared database shows a change, given who takes part in the zone's shares now.
  /// The owner sees it in the private database and is left out.
  package static func readers(of entry: LogEntry, among members: [Membership]) -> Set<UserID> {
    switch entry.event {
    case .record(let change):
      let covering = Set(change.coveringShares)
      return users(members.filter { covering.contains($0.share.name) }, entry)
    case .zoneDeleted: return users(members, entry)
    // Joining and leaving notify the user who did, who may be no member any more.
    case .membership(let user, _): return [user]
    case .zoneCreated, .subscription: return []
    }
  }

  private static func users(_ members: [Membership], _ entry: LogEntry) -> Set<UserID> {
    Set(members.map(\.user)).subtracting([entry.database.owner].compactMap { $0 })
  }
}
