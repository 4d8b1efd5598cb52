// May somebody read a record, and so be notified of it? Asked when a notification is made and again when
// it is delivered, with the image that it would show: rights may have changed since the record did.

package import BrumeModel
package import BrumeStorage

/// Who may read what, for those who work after the request: the notifier and delivery.
package struct ReadPermission: Sendable {
  /// Shared with all who ask for schemas.
  package let schemas: SchemaCache
  let limits: Limits
}

extension ReadPermission {
  /// Whether `user` may read a record, by what is true in this transaction.
  ///
  /// - Parameters:
  ///   - creator: who made the record, when it is known; matters in the public database.
  ///   - coveringShares: names of the shares that cover or covered the record.
  /// - Throws: what the transaction throws.
  package func mayRead(
    _ user: UserID, _ key: RecordKey, type: String, creator: UserID?, coveringShares: [String],
    in transaction: any ReadTransaction
  ) throws -> Bool {
    let place = try place(
      of: key, type: type, coveringShares: coveringShares, for: user, in: transaction)
    return try mayRead(
      user, at: place, in: key.zone.database, creator: creator, transaction: transaction)
  }

  /// The same with a place that is known: in a public database it is everybody's.
  ///
  /// - Throws: what the transaction throws.
  package func mayRead(
    _ user: UserID, at place: Permissions.Context, in database: DatabaseKey, creator: UserID?,
    transaction: any ReadTransaction
  ) throws -> Bool {
    let principal = Permissions.Principal(
      user: user, roles: try roles(of: user, at: place, database, in: transaction))
    return Permissions.decide(principal, .read, in: place, creator: creator) == nil
  }

  /// Where public records of a type are, with the rights that they have there. The last ones of a type that left the schema
  /// are nobody's to read: who might is not known any more.
  ///
  /// - Throws: what the transaction throws.
  package func publicContext(
    of type: String, in database: DatabaseKey, _ transaction: any ReadTransaction
  ) throws -> Permissions.Context {
    let schema = try schemas.schema(of: database.containerEnvironment, in: transaction)
    return .public(schema.rightsOfStored(type))
  }

  /// The container's own roles of a user, where they make a difference.
  private func roles(
    of user: UserID, at place: Permissions.Context, _ database: DatabaseKey,
    in transaction: any ReadTransaction
  ) throws -> Set<String> {
    guard case .public(let rights) = place, rights.namesCustomRoles else { return [] }
    return Set(try transaction.roles.names(of: user, in: database.containerEnvironment))
  }

  private func place(
    of key: RecordKey, type: String, coveringShares: [String], for user: UserID,
    in transaction: any ReadTransaction
  ) throws -> Permissions.Context {
    let database = key.zone.database
    guard let owner = database.owner else {
      return try publicContext(of: type, in: database, transaction)
    }
    if owner == user { return .own }
    let scope = try ShareScope(of: user, in: key.zone, from: transaction)
    return .shared(try scope.permission(through: coveringShares))
  }
}
