// Zones that go, as faults and tests let them go.

package import BrumeCore
package import BrumeModel

/// Removes zones of a user for any of the reasons for which zones go.
package struct ZoneRemoval: Sendable {
  private let zones: Zones
  private let administration: ZoneAdministration

  package init(_ engine: Engine) {
    zones = engine.zones
    administration = engine.zoneAdministration
  }

  /// Removes a zone of the caller's private database, or of its owner's if it names one; for
  /// `encryptedDataReset`, all custom zones there.
  ///
  /// - Throws: as the rules: `zoneNotFound`, `userDeletedZone`, `authenticationRequired`.
  package func remove(
    _ zone: ZoneID, because reason: Zone.Deletion, as caller: Caller
  ) async throws {
    let user = try caller.requireUser()
    let owner = zone.ownerName.map { UserID($0) } ?? user
    switch reason {
    case .deleted:
      let results = try await zones.modify(
        [ZoneOperation(.delete, ZoneID(name: zone.name))], in: .private,
        as: caller.another(as: owner))
      for result in results { _ = try result.mapError(\.error).get() }
    case .purged:
      try await administration.purge(zone.name, of: owner, in: caller.containerEnvironment)
    case .encryptedDataReset:
      try await administration.resetEncryptedData(of: owner, in: caller.containerEnvironment)
    }
  }
}
