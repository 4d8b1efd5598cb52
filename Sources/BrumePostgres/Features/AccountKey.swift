// How the rows of an account are found.

import BrumeModel

extension AccountKey {
  /// With which keys of the account's rows begin.
  static let columns: [Table.Column] = [
    ("bucket", .integer), ("container", .text), ("environment", .text), ("user_id", .text),
  ]
  /// The condition for it, with `$1` to `$4`.
  static let condition = "bucket = $1 AND container = $2 AND environment = $3 AND user_id = $4"
  /// The same columns as a list.
  static let names = columns.map(\.name).joined(separator: ", ")

  /// The same of a table.
  static func names(of table: String) -> String {
    columns.map { "\(table).\($0.name)" }.joined(separator: ", ")
  }

  /// That the rows of two tables belong to one account.
  static func same(_ a: String, _ b: String) -> String {
    columns.map { "\(a).\($0.name) = \(b).\($0.name)" }.joined(separator: " AND ")
  }
}

extension Places {
  func bucket(of account: AccountKey) -> Bucket { bucket(of: account.database) }

  /// Bucket, container, environment, user.
  func values(_ account: AccountKey) -> [SQLValue] {
    [bucketValue(of: account.database)] + account.containerEnvironment.values + [
      .text(account.user.name)
    ]
  }

  func values(_ device: DeviceKey) -> [SQLValue] {
    values(device.account) + [.text(device.device.name)]
  }
}
