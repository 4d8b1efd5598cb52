// records/lookup: records by name. What the caller may not see does not exist for them.

import BrumeModel
import BrumeStorage

/// Looks records up in one transaction.
struct RecordLookup {
  private var access: RecordAccess
  private var room: AnswerRoom

  init(access: RecordAccess) {
    self.access = access
    room = AnswerRoom(access.limits)
  }

  mutating func result(_ name: String, in zone: ZoneID?) throws -> RecordResult {
    let caller = access.caller
    do {
      let key = try caller.zoneKey(zone, in: access.scope, limits: access.limits)
      let wanted = key.isDefault ? caller.naming(name) : name
      return .success(.saved(try fitting(found(RecordKey(zone: key, name: wanted)))))
    } catch let error as BrumeError {
      let shown = caller.named(zone, in: access.scope, limits: access.limits)
      return .failure(ItemFailure(RecordID(name: name, zone: shown), error))
    }
  }

  private mutating func found(_ key: RecordKey) throws -> StoredRecord {
    _ = try access.view(of: key.zone)
    // What does not fit is not read either.
    if room.isFull { throw full(before: key.name) }
    let transaction = access.transaction
    let stored =
      try transaction.records.find(key)
      ?? transaction.users.untouchedRecord(key).map { user in
        StoredRecord(name: key.name, type: user.type, sequence: 0, content: .value(user))
      }
    guard let stored, try access.allows(.read, stored, in: key.zone) else {
      throw missing(key)
    }
    return stored
  }

  /// Counts what the answer holds; one record always fits.
  private mutating func fitting(_ stored: StoredRecord) throws(BrumeError) -> StoredRecord {
    if case .unreadable(let error) = stored.content { throw error }
    if room.takes(stored.byteCount) { return stored }
    throw full(before: stored.name)
  }

  private func full(before name: String) -> BrumeError {
    BrumeError(
      .limitExceeded,
      "the answer is full: the records before '\(NameRules.shown(name))' have up to \(room.maximum) bytes, the "
        + "maximum; ask for the rest in another request")
  }

  /// The same for a record that is not there and for one that the caller may not read. Without a user,
  /// where some types are for users only, that is a request to sign in: only then is the type known.
  private func missing(_ key: RecordKey) -> BrumeError {
    let name = NameRules.shown(key.name)
    if access.scope == .public, access.caller.user == nil, access.schema.hidesTypes(from: nil) {
      return BrumeError(
        .authenticationRequired,
        "request needs authorization: record '\(name)' is not there for everybody; sign in and ask "
          + "again with a web auth token")
    }
    return BrumeError(
      .notFound,
      "Record not found: '\(name)' in zone '\(NameRules.shown(key.zone.name))'; check its name, and that the zone is the "
        + "one that it was saved in")
  }
}
