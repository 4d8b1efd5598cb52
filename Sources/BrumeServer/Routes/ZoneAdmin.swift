// Zones of users, for the command line.

import BrumeCore
import BrumeModel
import BrumeWire

struct ZoneAdmin: Sendable {
  let zones: ZoneAdministration
  let users: NamedUsers

  func purge(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let user = try await users.user(json.text("user"))
    try await zones.purge(json.text("zone"), of: user.id, in: call.containerEnvironment)
    return .empty
  }
}
