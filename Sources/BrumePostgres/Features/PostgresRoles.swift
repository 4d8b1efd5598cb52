// Members of roles in PostgreSQL.

import BrumeModel
import BrumeStorage

final class PostgresRoles: RoleWriting {
  private let session: Session
  private let changes: AccountChanges

  init(_ session: Session, _ changes: AccountChanges) {
    self.session = session
    self.changes = changes
  }

  func names(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> [String] {
    try session.all(Self.findOfUser, containerEnvironment.values + [.text(user.name)]) {
      $0.text(0)
    }
  }

  func members(in containerEnvironment: ContainerEnvironment) throws -> [RoleMember] {
    try session.all(Self.findMembers, containerEnvironment.values) { row in
      RoleMember(in: containerEnvironment, role: row.text(0), user: UserID(row.text(1)))
    }
  }

  func put(_ member: RoleMember) throws {
    session.put(row(member), in: Self.table)
    try changes.note()
  }

  func remove(_ member: RoleMember) throws {
    session.remove(row(member), from: Self.table)
    try changes.note()
  }

  private func row(_ member: RoleMember) -> [SQLValue] {
    member.containerEnvironment.values + [.text(member.role), .text(member.user.name)]
  }

  private static let table = Table(
    "role_members",
    key: [("container", .text), ("environment", .text), ("role", .text), ("user_id", .text)],
    columns: [])
  private static let findOfUser = SQL(
    """
    SELECT role FROM role_members
    WHERE container = $1 AND environment = $2 AND user_id = $3 ORDER BY role
    """)
  private static let findMembers = SQL(
    """
    SELECT role, user_id FROM role_members
    WHERE container = $1 AND environment = $2 ORDER BY role, user_id
    """)
}
