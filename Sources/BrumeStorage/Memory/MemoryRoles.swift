// Members of roles in memory.

import BrumeModel

final class MemoryRoles: RoleWriting {
  private let draft: MemoryDraft

  init(_ draft: MemoryDraft) { self.draft = draft }

  func names(
    of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [String] {
    try members(container: container, environment: environment)
      .filter { $0.user == user }.map(\.role)
  }

  func members(container: ContainerID, environment: Environment) throws -> [RoleMember] {
    draft.state.roleMembers.filter { $0.container == container && $0.environment == environment }
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
