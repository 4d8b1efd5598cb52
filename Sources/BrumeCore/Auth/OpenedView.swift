// The database that an operator named, and requests as they are made there.

package import BrumeModel

/// A database that an operator named, as the rules take it.
package struct OpenedView: Equatable, Sendable {
  /// The database that the rules are asked about: shared where somebody looks at another's.
  package let scope: DatabaseScope
  package let caller: Caller
  /// Whose zones are meant where a zone names no owner, in the shared database.
  let owner: UserID?

  /// The zone that a name means here.
  package func zone(_ zone: ZoneID?) -> ZoneID? {
    guard let owner, zone?.ownerName == nil else { return zone }
    return ZoneID(name: zone?.name ?? ZoneID.defaultName, ownerName: owner.name)
  }
}

extension OpenedView {
  /// The same call with the zones that it means.
  package func addressed(_ request: QueryRequest) -> QueryRequest {
    var addressed = request
    if !request.zoneWide { addressed.zone = zone(request.zone) }
    return addressed
  }

  /// The same call with the zones that it means.
  package func addressed(_ request: LookupRecordsRequest) -> LookupRecordsRequest {
    var addressed = request
    addressed.zone = zone(request.zone)
    for index in addressed.items.indices where addressed.items[index].zone != nil {
      addressed.items[index].zone = zone(addressed.items[index].zone)
    }
    return addressed
  }

  /// The same call with the zones that it means.
  package func addressed(_ request: ModifyRecordsRequest) -> ModifyRecordsRequest {
    var addressed = request
    addressed.zone = zone(request.zone)
    for index in addressed.operations.indices where request.operations[index].record.zone != nil {
      addressed.operations[index].record.zone = zone(request.operations[index].record.zone)
    }
    return addressed
  }

  /// The caller of a change, who has a name to make it under.
  ///
  /// - Throws: `badRequest` if it has none.
  package func requireWriter() throws(BrumeError) {
    guard caller.user == nil else { return }
    throw BrumeError(
      .badRequest,
      "the change names nobody who makes it: give 'user' (--user NAME) to make it under that name, or 'as' "
        + "(--as NAME) to make it with that user's rights")
  }
}
