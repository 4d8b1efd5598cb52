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

  /// Removes a zone of the caller's private database; for `encryptedDataReset`, all custom zones.
  ///
  /// - Throws: as the rules: `zoneNotFound`, `userDeletedZone`, `authenticationRequired`.
  package func remove(
    _ name: String, because reason: Zone.Deletion, as caller: Caller
  ) async throws {
    let user = try caller.requireUser()
    switch reason {
    case .deleted:
      _ = try await zones.modify(
        [ZoneOperation(.delete, ZoneID(name: name))], in: .private, as: caller.another)
    case .purged:
      try await administration.purge(name, of: user, in: caller.containerEnvironment)
    case .encryptedDataReset:
      try await administration.resetEncryptedData(of: user, in: caller.containerEnvironment)
    }
  }
}
