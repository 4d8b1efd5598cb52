// What an operator does to a user's zones (cases ZON-12 to ZON-14).

package import BrumeModel
import BrumeStorage

/// What an operator does to a user's zones.
package struct ZoneAdministration: Sendable {
  private let store: any Store
  private let host: Host
  private let emptying: ZoneEmptying

  init(_ parts: EngineParts) {
    store = parts.store
    host = parts.host
    emptying = ZoneEmptying(parts)
  }

  /// What happens when a user removes the app's data in the settings (case ZON-12).
  ///
  /// - Throws: `zoneNotFound`, `userDeletedZone`.
  package func purge(
    _ name: String, of owner: UserID, in containerEnvironment: ContainerEnvironment
  ) async throws {
    let database = DatabaseKey(in: containerEnvironment, owner: owner)
    let key = ZoneKey(database: database, name: name)
    let origin = host.origin()
    if key.isDefault { return try await emptying.empty(key) }
    let left = try await store.write(in: .database(database)) { transaction in
      var writer = ZoneWriter(transaction, origin)
      try writer.delete(try transaction.zones.live(key), as: .purged)
      return writer.left
    }
    try await emptying.finish(left)
  }

  /// What happens when a user resets end-to-end encrypted data: every custom zone goes (case ZON-14).
  ///
  /// - Throws: what the store throws. All zones are gone or none.
  package func resetEncryptedData(
    of owner: UserID, in containerEnvironment: ContainerEnvironment
  ) async throws {
    let database = DatabaseKey(in: containerEnvironment, owner: owner)
    let origin = host.origin()
    let left = try await store.write(in: .database(database)) { transaction in
      var writer = ZoneWriter(transaction, origin)
      for zone in try transaction.zones.all(in: database) where !zone.key.isDefault {
        try writer.delete(zone, as: .encryptedDataReset)
      }
      return writer.left
    }
    try await emptying.finish(left)
  }
}
