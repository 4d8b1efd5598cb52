// What was found when all of a store was read, for `brume doctor --deep`.

/// What was read, and what of it is damaged.
package struct StoreInspection: Equatable, Sendable {
  /// How much was read of a table.
  package struct Table: Equatable, Sendable {
    package let name: String
    package let rows: Int
    /// Rows from before checksums, which are not known to be whole.
    package let unsummed: Int
  }
  /// Ours: findings that are listed in words; the others are counted.
  package static let namedFindings = 1000

  /// In the order in which they were read.
  package private(set) var tables: [Table] = []
  /// The first of what is damaged, a sentence each.
  package private(set) var findings: [String] = []
  /// All findings, also those beyond the named ones.
  package private(set) var findingCount = 0

  package init() {}

  /// Notes that all rows of a table were read.
  ///
  /// - Parameter unsummed: how many of them have no checksum.
  package mutating func read(_ name: String, rows: Int, unsummed: Int) {
    tables.append(Table(name: name, rows: rows, unsummed: unsummed))
  }

  /// Notes something damaged, as a sentence.
  package mutating func found(_ finding: String) {
    findingCount += 1
    if findings.count < Self.namedFindings { findings.append(finding) }
  }
}
