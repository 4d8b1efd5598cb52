// A row of a move: typed values, in the order of its table's columns.

package import BrumeModel

/// A value. Texts are compared by their bytes, as engines do.
package enum MovedValue: Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])

  /// A text, or `null` for nil.
  package static func text(_ text: String?) -> MovedValue { text.map { .text($0) } ?? .null }
  /// Bytes, or `null` for nil.
  package static func bytes(_ bytes: [UInt8]?) -> MovedValue { bytes.map { .bytes($0) } ?? .null }

  /// The number; nil for another kind of value. The same for the two below.
  package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  package var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

  /// About how much memory it takes.
  package var byteCount: Int {
    switch self {
    case .null, .integer: 8
    case .text(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    }
  }
}

extension MovedValue: Equatable {
  package static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.text(let a), .text(let b)): ByteText(a) == ByteText(b)
    case (.bytes(let a), .bytes(let b)): a == b
    default: false
    }
  }
}

/// The values of one row, as many as the table has columns.
package struct MovedRow: Equatable, Sendable {
  package let table: MovedTable
  /// In the order of the table's columns.
  package var values: [MovedValue]

  /// - Throws: `StoreError` with `corrupt`, which names table and key, if a value is not as its column says.
  package init(_ table: MovedTable, _ values: [MovedValue]) throws {
    self.table = table
    self.values = values
    for (column, value) in zip(table.columns, values) where !column.admits(value) {
      throw unreadable("the column '\(column.name)' does not hold what it should")
    }
    guard values.count == table.columns.count else { throw unreadable("columns are missing") }
  }

  /// The values that distinguish it from other rows of the table.
  package var key: ArraySlice<MovedValue> { values.prefix(table.keyLength) }

  /// Whether it comes before another row of the table.
  package func isBefore(_ other: MovedRow) -> Bool { Self.isBefore(key, other.key) }

  /// Whether one key comes before another of the same table.
  package static func isBefore(
    _ key: ArraySlice<MovedValue>, _ other: ArraySlice<MovedValue>
  ) -> Bool {
    for (a, b) in zip(key, other) where a != b {
      switch (a, b) {
      case (.integer(let a), .integer(let b)): return a < b
      case (.text(let a), .text(let b)): return ByteText(a) < ByteText(b)
      default: return false
      }
    }
    return false
  }

  /// About how much memory it takes.
  package var byteCount: Int { values.reduce(0) { $0 + $1.byteCount } }

  /// What is wrong with this row.
  package func unreadable(_ what: String) -> StoreError {
    StoreError(.corrupt, "table \(table.rawValue), key \(table.keyText(key)): \(what)")
  }
}

extension MovedRow {
  /// A column by its name, as a text that must be there.
  ///
  /// - Throws: `StoreError` with `corrupt` if it is null.
  package func text(_ name: String) throws -> String {
    guard let text = self[name].text else { throw unreadable("'\(name)' is missing") }
    return text
  }

  /// A column by its name, as a number that must be there.
  ///
  /// - Throws: `StoreError` with `corrupt` if it is null.
  package func integer(_ name: String) throws -> Int64 {
    guard let number = self[name].integer else { throw unreadable("'\(name)' is missing") }
    return number
  }

  /// A column by its name. Ends the process if the table has none of that name.
  package subscript(name: String) -> MovedValue {
    let index = table.columns.firstIndex { $0.name == name }
    precondition(index != nil, "the table \(table.rawValue) has no column '\(name)'")
    return index.map { values[$0] } ?? .null
  }
}

extension MovedTable {
  /// A key in words. It says nothing of what a record holds.
  package func keyText(_ key: ArraySlice<MovedValue>) -> String {
    if hasSecretKeys { return "\(key.first?.text?.prefix(4) ?? "")…" }
    return key.map { value in
      switch value {
      case .null: "-"
      case .integer(let number): "\(number)"
      case .text(let text): "'\(text)'"
      case .bytes(let bytes): "\(bytes.count) bytes"
      }
    }.joined(separator: " ")
  }

  /// Whether values can be the key of a row.
  package func admitsKey(_ values: [MovedValue]) -> Bool {
    values.count == keyLength && zip(columns, values).allSatisfy { $0.admits($1) }
  }
}

extension MovedColumn {
  fileprivate func admits(_ value: MovedValue) -> Bool {
    switch (value, kind) {
    case (.null, _): isOptional
    case (.integer, .integer), (.text, .text), (.bytes, .bytes): true
    case (.text, .positions), (.text, .place): true
    default: false
    }
  }
}

// MARK: What keys stand for

extension MovedRow {
  /// The container environment that the row is in.
  ///
  /// - Throws: `StoreError` with `corrupt` if it is none.
  package func containerEnvironment() throws -> ContainerEnvironment {
    try containerEnvironment(text("container"), text("environment"))
  }

  /// The database that the row is in.
  ///
  /// - Throws: `StoreError` with `corrupt` if its environment is none.
  package func database() throws -> DatabaseKey {
    try DatabaseKey(in: containerEnvironment(), ownerColumn: text("owner"))
  }

  /// The zone that the row is in, or that it is.
  ///
  /// - Throws: `StoreError` with `corrupt` if its environment is none.
  package func zone() throws -> ZoneKey {
    ZoneKey(database: try database(), name: try text("zone"))
  }

  /// The zone that an entry of the log is about; nil if it is about none.
  ///
  /// - Throws: `StoreError` with `corrupt` if its environment is none.
  package func eventZone() throws -> ZoneKey? {
    guard let name = self["zone"].text else { return nil }
    let containerEnvironment = try self.containerEnvironment(
      text("zone_container"), text("zone_environment"))
    let database = try DatabaseKey(in: containerEnvironment, ownerColumn: text("zone_owner"))
    return ZoneKey(database: database, name: name)
  }

  /// The private database of the user whose the row is.
  ///
  /// - Throws: `StoreError` with `corrupt` if its environment is none.
  package func userDatabase() throws -> DatabaseKey {
    DatabaseKey(in: try containerEnvironment(), owner: UserID(try text("user")))
  }

  /// Whose subscription the row is, and of which database.
  ///
  /// - Throws: `StoreError` with `corrupt` if that is none.
  package func subscriptionScope() throws -> SubscriptionScope {
    guard let scope = DatabaseScope(rawValue: try text("scope")) else {
      throw unreadable("its scope is unknown")
    }
    return SubscriptionScope(
      in: try containerEnvironment(), scope: scope, user: UserID(try text("user")))
  }

  private func containerEnvironment(
    _ container: String, _ environment: String
  ) throws -> ContainerEnvironment {
    guard let environment = Environment(rawValue: environment) else {
      throw unreadable("its environment is unknown")
    }
    return ContainerEnvironment(ContainerID(container), environment)
  }
}
