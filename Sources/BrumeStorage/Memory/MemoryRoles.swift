// Members of roles in memory.

import BrumeModel

final class MemoryRoles: MemoryFeature, RoleWriting {
  func names(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> [String] {
    try members(in: containerEnvironment)
      .filter { $0.user == user }.map(\.role)
  }

  func members(in containerEnvironment: ContainerEnvironment) throws -> [RoleMember] {
    draft.state.roleMembers.filter { $0.containerEnvironment == containerEnvironment }
      .sorted {
        (ByteText($0.role), ByteText($0.user.name)) < (ByteText($1.role), ByteText($1.user.name))
      }
  }

  func put(_ member: RoleMember) throws {
    draft.requireScope(.server)
    draft.state.roleMembers.insert(member)
  }

  func remove(_ member: RoleMember) throws {
    draft.requireScope(.server)
    draft.state.roleMembers.remove(member)
  }
}
