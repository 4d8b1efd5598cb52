// The condition of a query subscription: the same checks as a query that runs, and the same errors
// (cases SUB-17 and SUB-18). Order has no meaning here and is dropped.

import BrumeModel
import BrumeSchema
import BrumeStorage

extension SubscriptionChange {
  /// The query with its values in the schema's types.
  func checked(
    _ query: Query, _ info: NotificationInfo, in transaction: any ReadTransaction
  ) throws -> Query {
    try NameRules.recordType(query.recordType, limits: limits)
    let schema = try schemas.schema(of: place.containerEnvironment, in: transaction)
    guard let type = schema.recordTypes[query.recordType] else {
      throw Schema.missing(type: query.recordType)
    }
    try SubscriptionRules.desiredKeys(
      info.desiredKeys, of: query.recordType, type, limits: limits)
    let unordered = Query(recordType: query.recordType, filters: query.filters).naming(caller.user)
    // "All records" needs no index here: nothing is searched, each record comes by itself.
    if unordered.filters.isEmpty { return unordered }
    return try QueryRules.checked(
      unordered, schema: schema, in: place.containerEnvironment, limits: limits)
  }
}
