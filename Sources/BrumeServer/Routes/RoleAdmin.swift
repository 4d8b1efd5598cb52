// Members of security roles, for the command line. What a role may do is in the schema.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

struct RoleAdmin: Sendable {
  let roles: Roles
  let users: NamedUsers

  func list(_ call: Call) async throws -> Reply {
    let containerEnvironment = call.containerEnvironment
    let members = try await roles.members(in: containerEnvironment)
    let names = try await users.names(of: Set(members.map(\.user)))
    let lines = members.map { member -> JSON in
      ["role": .string(member.role), "user": .string(names[member.user] ?? member.user.name)]
    }
    return .json(["members": .array(lines)])
  }

  func set(_ call: Call) async throws -> Reply {
    let json = try call.object()
    let isOn = try json.required("on", json.bool("on"))
    let user = try await users.user(json.text("user"))
    try await roles.set(json.text("role"), of: user.id, to: isOn, in: call.containerEnvironment)
    return try await list(call)
  }
}
