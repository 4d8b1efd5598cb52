// Members of roles in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteRoles: RoleWriting {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func names(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> [String] {
    try connection.all(
      Self.rolesOfUser,
      {
        $0.bind(containerEnvironment, from: 1)
        $0.bind(3, user.name)
      }
    ) { $0.text(0) }
  }

  func members(in containerEnvironment: ContainerEnvironment) throws -> [RoleMember] {
    try connection.all(Self.allMembers, { $0.bind(containerEnvironment, from: 1) }) { row in
      RoleMember(in: containerEnvironment, role: row.text(0), user: UserID(row.text(1)))
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
    SELECT role FROM role_members
    WHERE container = ?1 AND environment = ?2 AND user = ?3 ORDER BY role
    """)
  private static let allMembers = SQL(
    """
    SELECT role, user FROM role_members
    WHERE container = ?1 AND environment = ?2 ORDER BY role, user
    """)
  private static let putMember = SQL(
    """
    INSERT OR REPLACE INTO role_members (container, environment, user, role)
    VALUES (?1, ?2, ?3, ?4)
    """)
  private static let removeMember = SQL(
    """
    DELETE FROM role_members
    WHERE container = ?1 AND environment = ?2 AND user = ?3 AND role = ?4
    """)
}
