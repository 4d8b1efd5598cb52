// Which containers a server knows, for operators: those that somebody wrote to, or has a token or key for.

package import BrumeModel
import BrumeSchema
import BrumeStorage

/// The containers of a server.
package struct Containers: Sendable {
  private let store: any Store
  private let schemas: SchemaCache

  init(_ parts: EngineParts) {
    store = parts.store
    schemas = parts.schemas
  }

  /// Every container environment that is known, in the order of names.
  ///
  /// - Throws: what the store throws.
  package func all() async throws -> [ContainerSummary] {
    let schemas = schemas
    return try await store.read { transaction in
      let counts = try transaction.zones.databaseCounts()
      let tokens = try transaction.credentials.apiTokens()
      let keys = try transaction.credentials.serverKeys()
      return try transaction.containerEnvironments().map { place in
        ContainerSummary(
          place, databases: counts[place] ?? 0,
          recordTypes: try schemas.schema(of: place, in: transaction).recordTypes.count,
          apiTokens: tokens.count { $0.containerEnvironment == place },
          serverKeys: keys.count { $0.containerEnvironment == place })
      }
    }
  }
}

extension ReadTransaction {
  /// Container environments in which a user can have anything.
  func containerEnvironments() throws -> [ContainerEnvironment] {
    let counted = Array(try zones.databaseCounts().keys)
    let tokens = try credentials.apiTokens().map(\.containerEnvironment)
    let keys = try credentials.serverKeys().map(\.containerEnvironment)
    return Set(counted + tokens + keys).sorted()
  }
}
