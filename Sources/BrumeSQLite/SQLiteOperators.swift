// Operators and their credentials in SQLite.

import BrumeModel
import BrumeStorage

final class SQLiteOperators: OperatorWriting {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func find(_ id: String) throws -> Operator? {
    try first(Self.find, id)
  }

  func find(named name: String) throws -> Operator? {
    try first(Self.findNamed, name)
  }

  private func first(_ sql: SQL, _ key: String) throws -> Operator? {
    try connection.firstWhole(sql, .operators, Self.what, { $0.bind(1, key) }) {
      try $0.operator()
    }
  }

  /// - Throws: the `BrumeError` for damage. Where nobody is left whoever comes may be the first operator, so none is
  ///   left out.
  func all() throws -> [Operator] {
    try connection.all(Self.all) { row in
      try connection.requireWhole(row, .operators, Self.what)
      return try row.operator()
    }
  }

  func put(_ person: Operator) throws {
    try connection.run(Self.put) {
      $0.bind(1, person.id)
      $0.bind(2, person.name)
      $0.bind(3, person.role.rawValue)
      $0.bind(4, person.passwordHash)
      $0.bind(5, person.created)
    }
  }

  func remove(_ id: String) throws { try connection.run(Self.remove) { $0.bind(1, id) } }

  private static let what = "the account of an operator"
  private static let columns = SummedTable.operators.whole
  private static let find = SQL("SELECT \(columns) FROM operators WHERE id = ?1")
  private static let findNamed = SQL("SELECT \(columns) FROM operators WHERE name = ?1")
  private static let all = SQL("SELECT \(columns) FROM operators ORDER BY name")
  private static let put = SQL(SummedTable.operators.replace)
  private static let remove = SQL("DELETE FROM operators WHERE id = ?1")

  // MARK: Credentials

  func credential(_ id: String) throws -> OperatorCredential? {
    try connection.firstWhole(
      Self.findCredential, .operatorCredentials, "what an operator signs in with",
      { $0.bind(1, id) }
    ) { try $0.operatorCredential() }
  }

  /// Without those that are damaged, which `credential` refuses.
  func credentials() throws -> [OperatorCredential] {
    try connection.allWhole(Self.allCredentials, .operatorCredentials) {
      try $0.operatorCredential()
    }
  }

  func put(_ credential: OperatorCredential) throws {
    try connection.run(Self.putCredential) {
      $0.bind(1, credential.id)
      $0.bind(2, credential.kind.rawValue)
      $0.bind(3, credential.name)
      $0.bind(4, credential.operatorID)
      $0.bind(5, credential.role.rawValue)
      $0.bind(6, credential.created)
      $0.bind(7, credential.lastUsed)
      $0.bind(8, credential.ends)
    }
  }

  func removeCredential(_ id: String) throws {
    try connection.run(Self.removeCredentialRow) { $0.bind(1, id) }
  }

  private static let credentialColumns = SummedTable.operatorCredentials.whole
  private static let findCredential = SQL(
    "SELECT \(credentialColumns) FROM operator_credentials WHERE id = ?1")
  private static let allCredentials = SQL(
    "SELECT \(credentialColumns) FROM operator_credentials ORDER BY created, id")
  private static let putCredential = SQL(SummedTable.operatorCredentials.replace)
  private static let removeCredentialRow = SQL("DELETE FROM operator_credentials WHERE id = ?1")
}

extension Prepared {
  fileprivate func `operator`() throws -> Operator {
    Operator(
      id: text(0), name: text(1), role: try role(2), passwordHash: text(3), created: int(4))
  }

  fileprivate func operatorCredential() throws -> OperatorCredential {
    let kind = OperatorCredential.Kind(rawValue: text(1))
    return OperatorCredential(
      id: text(0), kind: try known(kind, "kind of an operator's credential"), name: text(2),
      operatorID: optionalText(3), role: try role(4), created: int(5), lastUsed: optionalInt(6),
      ends: optionalInt(7))
  }

  private func role(_ column: Int32) throws -> OperatorRole {
    try known(OperatorRole(rawValue: text(column)), "role of an operator")
  }
}
