// A candidate of a query, as an engine's rows name it.

package import BrumeModel

/// A record by its name and, where that is known, by its row, which it keeps for good.
package struct RecordRow: Sendable {
  package let name: String
  /// The engine's number of the record; nil: to be found by the name.
  package let row: Int64?
  /// Whether the engine has asked the index for the probes already, and all hold.
  package let holdsProbes: Bool
  private let fetched: FetchedRecord?

  package init(name: String, row: Int64?) {
    self.name = name
    self.row = row
    holdsProbes = false
    fetched = nil
  }

  /// A row that brings its record along.
  /// - Parameter holdsProbes: whether the row was found with a look at `RowNeeds.probes`.
  package init(name: String, row: Int64?, stored: StoredRecord?, holdsProbes: Bool = false) {
    self.name = name
    self.row = row
    self.holdsProbes = holdsProbes
    fetched = stored.map { FetchedRecord($0) }
  }

  /// Whether the row has its record.
  var isFetched: Bool { fetched != nil }
  /// The record, if the engine has fetched it with the row.
  package var stored: StoredRecord? { fetched?.stored }
}

/// By reference, so that rows without a record stay small.
private final class FetchedRecord: Sendable {
  let stored: StoredRecord

  init(_ stored: StoredRecord) { self.stored = stored }
}
