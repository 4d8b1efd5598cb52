// How far a store is with indexes that queries asked for.

/// Work on indexes that goes on beside requests.
package struct IndexProgress: Equatable, Sendable {
  /// Fields whose index does not have all records yet, each counted once for a record type in a zone.
  package var fields: Int
  /// Records taken in since the store was opened, each counted once for every piece of work that read it.
  package var records: Int64

  package init(fields: Int = 0, records: Int64 = 0) {
    self.fields = fields
    self.records = records
  }
}
