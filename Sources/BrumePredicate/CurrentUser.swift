// "Me" in a condition. Clients show the current user as `__defaultOwner__`, also as the creator of a
// record, and hand that name back in conditions; records keep the user's own name.

package import BrumeModel

extension Filter {
  /// The filter with a user's own name in place of "me", in conditions on who made or changed a
  /// record. Other fields hold what the app put there.
  package func naming(_ user: UserID) -> Filter {
    switch field {
    case .system(.createdUserRecordName), .system(.modifiedUserRecordName):
      var named = self
      named.value = value.naming(user)
      return named
    case .system(.recordName), .system(.createdTimestamp), .system(.modifiedTimestamp),
      .system(.share), .system(.parent), .field, nil:
      return self
    }
  }
}

extension FieldValue {
  fileprivate func naming(_ user: UserID) -> FieldValue {
    switch self {
    case .string(let name) where UserID.aliases.contains(name): return .string(user.name)
    case .reference(var reference) where UserID.aliases.contains(reference.recordName):
      reference.recordName = user.name
      return .reference(reference)
    case .list(let values, let element):
      return .list(values.map { $0.naming(user) }, of: element)
    case .string, .reference, .int64, .double, .bytes, .timestamp, .location, .asset: return self
    }
  }
}
