// The port's part for queries.

package protocol QueryReading: AnyObject {
  /// One page of a query, from indexes.
  func matching(_ request: EngineQuery) throws -> EngineQueryPage
}
