// Identities of providers, members of roles, and signatures that were used, in SQLite.

import BrumeModel
import BrumeStorage

extension SQLiteTransaction {
  func user(_ identity: ProviderIdentity) throws -> UserID? {
    try connection.first(
      Self.findIdentity,
      {
        $0.bind(1, identity.issuer)
        $0.bind(2, identity.subject)
      }
    ) { UserID($0.text(0)) }
  }

  func link(_ identity: ProviderIdentity, to user: UserID) throws {
    try connection.run(Self.putIdentity) {
      $0.bind(1, identity.issuer)
      $0.bind(2, identity.subject)
      $0.bind(3, user.name)
    }
  }

  private static let findIdentity = SQL(
    "SELECT user FROM identities WHERE issuer = ?1 AND subject = ?2")
  private static let putIdentity = SQL(
    "INSERT OR REPLACE INTO identities (issuer, subject, user) VALUES (?1, ?2, ?3)")
}

// MARK: Roles

extension SQLiteTransaction {
  func roles(
    of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [String] {
    try connection.all(
      Self.rolesOfUser,
      {
        $0.bind(1, container.name)
        $0.bind(2, environment.rawValue)
        $0.bind(3, user.name)
      }
    ) { $0.text(0) }
  }

  func roleMembers(container: ContainerID, environment: Environment) throws -> [RoleMember] {
    try connection.all(
      Self.allMembers,
      {
        $0.bind(1, container.name)
        $0.bind(2, environment.rawValue)
      }
    ) { row in
      RoleMember(
        container: container, environment: environment, role: row.text(0),
        user: UserID(row.text(1)))
    }
  }

  func put(_ member: RoleMember) throws { try run(Self.putMember, member) }

  func remove(_ member: RoleMember) throws { try run(Self.removeMember, member) }

  private func run(_ sql: SQL, _ member: RoleMember) throws {
    try connection.run(sql) {
      $0.bind(1, member.container.name)
      $0.bind(2, member.environment.rawValue)
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

// MARK: Used signatures

extension SQLiteTransaction {
  func use(
    signature: String, at time: Milliseconds, after horizon: Milliseconds, limit: Int
  ) throws -> SignatureUse {
    let count = try forgetSignatures(before: horizon)
    if try connection.exists(Self.findSignature, { $0.bind(1, signature) }) { return .repeated }
    guard count < limit else { return .full }
    try connection.run(Self.putSignature) {
      $0.bind(1, signature)
      $0.bind(2, time)
    }
    cache.usedSignatures = count + 1
    cache.isProvisional = true
    return .first
  }

  /// How many are left.
  private func forgetSignatures(before horizon: Milliseconds) throws -> Int {
    let all =
      try cache.usedSignatures ?? connection.first(Self.countSignatures, { _ in }) {
        Int($0.int(0))
      }
      ?? 0
    let old = try connection.first(Self.countOld, { $0.bind(1, horizon) }) { Int($0.int(0)) } ?? 0
    if old > 0 { try connection.run(Self.removeOld) { $0.bind(1, horizon) } }
    cache.usedSignatures = all - old
    cache.isProvisional = true
    return all - old
  }

  private static let findSignature = SQL("SELECT 1 FROM used_signatures WHERE identity = ?1")
  private static let putSignature = SQL(
    "INSERT INTO used_signatures (identity, time) VALUES (?1, ?2)")
  private static let countSignatures = SQL("SELECT COUNT(*) FROM used_signatures")
  private static let countOld = SQL("SELECT COUNT(*) FROM used_signatures WHERE time < ?1")
  private static let removeOld = SQL("DELETE FROM used_signatures WHERE time < ?1")
}
