// From the zone a caller names to where it is stored, and whether it is there for them.

package import BrumeModel
package import BrumeStorage

extension Caller {
  /// The zone behind the name that this caller uses. Nil means the default zone. Whether it exists
  /// is another question.
  ///
  /// - Throws: as `requireAccess`; `badRequest` if the name cannot be, or in the shared database names no
  ///   owner; `zoneNotFound` if it is not of that database.
  package func zoneKey(
    _ zone: ZoneID?, in scope: DatabaseScope, limits: Limits
  ) throws(BrumeError) -> ZoneKey {
    try requireAccess(to: scope)
    let name = zone?.name ?? ZoneID.defaultName
    try NameRules.zoneName(name, limits: limits)
    if let owner = zone?.ownerName {
      try TextRules.check(owner, "the name of the zone's owner", upTo: limits.labelBytes)
    }
    switch scope {
    case .public:
      guard name == ZoneID.defaultName, isMe(zone?.ownerName) else {
        throw BrumeError(
          .zoneNotFound,
          "zone '\(name)' does not exist: the public database has only '\(ZoneID.defaultName)'")
      }
      return ZoneKey(database: try databaseKey(.public), name: name)
    case .private:
      guard isMe(zone?.ownerName) else {
        throw BrumeError(
          .zoneNotFound,
          "zone '\(name)' belongs to another user; look for it in the shared database")
      }
      return ZoneKey(database: try databaseKey(.private), name: name)
    case .shared:
      guard let zone, let owner = zone.ownerName, !isMe(owner) else {
        throw BrumeError(
          .badRequest,
          "the shared database has no zones of its own: name the zone together with its owner, as "
            + "'zoneID.ownerRecordName'; shared/zones/list shows both")
      }
      let key = DatabaseKey(in: containerEnvironment, owner: UserID(owner))
      return ZoneKey(database: key, name: name)
    }
  }
}

extension Caller {
  /// A zone as answers name it: with its owner, where the caller may name it at all.
  func named(_ zone: ZoneID?, in scope: DatabaseScope, limits: Limits) -> ZoneID {
    let key = try? zoneKey(zone, in: scope, limits: limits)
    return key?.id ?? zone ?? ZoneID(name: ZoneID.defaultName)
  }
}

extension ZoneReading {
  /// The zone if it is there, or the error that says why not (cases ZON-12 to ZON-14). Default zones
  /// are always there, written to or not.
  ///
  /// - Throws: `zoneNotFound`, `userDeletedZone`.
  package func live(_ key: ZoneKey) throws -> Zone {
    let zone = try find(key)
    if let zone, zone.isLive { return zone }
    if key.isDefault { return Zone(key: key, incarnation: 0, lastSequence: 0) }
    throw Zone.missing(key.name, zone?.deletion)
  }
}

extension Zone {
  /// The error for a zone of which nothing is shared with the caller, whether or not it exists.
  static func notShared(_ name: String) -> BrumeError {
    BrumeError(
      .zoneNotFound,
      "zone '\(NameRules.shown(name))' does not exist in the shared database; accept a share of it first, or "
        + "look for a zone of your own in the private database")
  }

  /// The error for a zone that is not there.
  package static func missing(_ name: String, _ deletion: Deletion?) -> BrumeError {
    let name = NameRules.shown(name)
    switch deletion {
    case nil, .deleted:
      return BrumeError(
        .zoneNotFound,
        "zone '\(name)' does not exist; check its name, or save the zone before using it")
    case .purged:
      return BrumeError(
        .userDeletedZone,
        "zone '\(name)' was deleted by the user together with the app's data; do not upload it "
          + "again without asking")
    case .encryptedDataReset:
      var error = BrumeError(
        .zoneNotFound,
        "zone '\(name)' went when the user reset encrypted data; save it and upload again")
      error.didResetEncryptedData = true
      return error
    }
  }
}
