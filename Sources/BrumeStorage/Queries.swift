// The port's part for queries.

/// Throws what ``ReadTransaction`` says.
package protocol QueryReading: AnyObject {
  /// One page of a query, from indexes.
  func matching(_ request: EngineQuery) throws -> EngineQueryPage
}
