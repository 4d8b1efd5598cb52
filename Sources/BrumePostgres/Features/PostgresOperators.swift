// Operators and their credentials in PostgreSQL.

import BrumeModel
import BrumeStorage

final class PostgresOperators: OperatorWriting {
  private let session: Session

  init(_ session: Session) { self.session = session }

  func find(_ id: String) throws -> Operator? {
    try session.first(Self.find, [.text(id)]) { try $0.operator() }
  }

  func find(named name: String) throws -> Operator? {
    try session.first(Self.findNamed, [.text(name)]) { try $0.operator() }
  }

  func all() throws -> [Operator] { try session.all(Self.all) { try $0.operator() } }

  func put(_ person: Operator) throws {
    session.put(
      [
        .text(person.id), .text(person.name), .text(person.role.rawValue),
        .text(person.passwordHash), .integer(person.created),
      ], in: Self.table)
  }

  func remove(_ id: String) throws { session.remove([.text(id)], from: Self.table) }

  private static let table = Table(
    "operators", key: [("id", .text)],
    columns: [("name", .text), ("role", .text), ("password_hash", .text), ("created", .integer)])
  private static let select = "SELECT id, name, role, password_hash, created FROM operators"
  private static let find = SQL("\(select) WHERE id = $1")
  private static let findNamed = SQL("\(select) WHERE name = $1")
  private static let all = SQL("\(select) ORDER BY name")

  // MARK: Credentials

  func credential(_ id: String) throws -> OperatorCredential? {
    try session.first(Self.findCredential, [.text(id)]) { try $0.operatorCredential() }
  }

  func credentials() throws -> [OperatorCredential] {
    try session.all(Self.allCredentials) { try $0.operatorCredential() }
  }

  func put(_ credential: OperatorCredential) throws {
    session.put(
      [
        .text(credential.id), .text(credential.kind.rawValue), .text(credential.name),
        .text(credential.operatorID), .text(credential.role.rawValue),
        .integer(credential.created), .integer(credential.lastUsed), .integer(credential.ends),
      ], in: Self.credentialTable)
  }

  func removeCredential(_ id: String) throws {
    session.remove([.text(id)], from: Self.credentialTable)
  }

  private static let credentialTable = Table(
    "operator_credentials", key: [("id", .text)],
    columns: [
      ("kind", .text), ("name", .text), ("operator_id", .text), ("role", .text),
      ("created", .integer), ("last_used", .integer), ("ends", .integer),
    ])
  private static let selectCredentials = """
    SELECT id, kind, name, operator_id, role, created, last_used, ends FROM operator_credentials
    """
  private static let findCredential = SQL("\(selectCredentials) WHERE id = $1")
  private static let allCredentials = SQL("\(selectCredentials) ORDER BY created, id")
}

extension Row {
  fileprivate func `operator`() throws -> Operator {
    Operator(
      id: text(0), name: text(1), role: try known(OperatorRole(rawValue: text(2)), "role"),
      passwordHash: text(3), created: integer(4))
  }

  fileprivate func operatorCredential() throws -> OperatorCredential {
    OperatorCredential(
      id: text(0), kind: try known(OperatorCredential.Kind(rawValue: text(1)), "kind"),
      name: text(2), operatorID: optionalText(3),
      role: try known(OperatorRole(rawValue: text(4)), "role"), created: integer(5),
      lastUsed: optionalInteger(6), ends: optionalInteger(7))
  }
}
