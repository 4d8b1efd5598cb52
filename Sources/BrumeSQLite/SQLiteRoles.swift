// Members of roles in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteRoles: RoleWriting {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Without what is damaged: it gives nobody a right.
  func names(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> [String] {
    try connection.allWhole(
      Self.rolesOfUser, .roleMembers,
      {
        $0.bind(containerEnvironment, from: 1)
        $0.bind(3, user.name)
      }
    ) { $0.text(3) }
  }

  func members(in containerEnvironment: ContainerEnvironment) throws -> [RoleMember] {
    try connection.allWhole(
      Self.allMembers, .roleMembers, { $0.bind(containerEnvironment, from: 1) }
    ) { row in
      RoleMember(in: containerEnvironment, role: row.text(3), user: UserID(row.text(2)))
    }
  }

  func put(_ member: RoleMember) throws { try run(Self.putMember, member) }

  func remove(_ member: RoleMember) throws { try run(Self.removeMember, member) }

  private func run(_ sql: SQL, _ member: RoleMember) throws {
    try connection.run(sql) {
      $0.bind(member.containerEnvironment, from: 1)
      $0.bind(3, member.user.name)
      $0.bind(4, member.role)
    }
  }

  private static let rolesOfUser = SQL(
    """
    SELECT \(SummedTable.roleMembers.whole) FROM role_members
    WHERE container = ?1 AND environment = ?2 AND user = ?3 ORDER BY role
    """)
  private static let allMembers = SQL(
    """
    SELECT \(SummedTable.roleMembers.whole) FROM role_members
    WHERE container = ?1 AND environment = ?2 ORDER BY role, user
    """)
  private static let putMember = SQL(SummedTable.roleMembers.replace)
  private static let removeMember = SQL(
    """
    DELETE FROM role_members
    WHERE container = ?1 AND environment = ?2 AND user = ?3 AND role = ?4
    """)
}
