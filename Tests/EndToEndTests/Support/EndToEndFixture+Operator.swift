// What only the operator of a server can do: the calls behind the command line.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeServer
import BrumeStorage

extension EndToEndFixture {
  /// The usual container, in development.
  static let containerEnvironment = ContainerEnvironment(ContainerID(containerName), .development)

  private func user(_ name: String) async throws -> UserID {
    guard let user = try await server.engine.accounts.user(named: name) else {
      throw BrumeError(.notFound, "there is no user '\(name)'")
    }
    return user.id
  }

  /// What others may know of a user.
  func set(_ identity: Accounts.Change, of name: String) async throws {
    _ = try await server.engine.accounts.change(try await user(name), identity)
  }

  /// The user removes the app's data in the settings.
  func purge(_ zone: String, of name: String) async throws {
    try await server.engine.zoneAdministration.purge(
      zone, of: try await user(name), in: Self.containerEnvironment)
  }

  /// The user resets end-to-end encrypted data.
  func resetEncryptedData(of name: String) async throws {
    try await server.engine.zoneAdministration.resetEncryptedData(
      of: try await user(name), in: Self.containerEnvironment)
  }

  /// Somebody switches an index off, or on, in the dashboard.
  func queryable(_ field: String, of type: String, _ isOn: Bool) async throws {
    try await server.engine.schemas.setIndex(
      .queryable, on: field, of: type, to: isOn, in: Self.containerEnvironment)
  }

  /// The same with the index by which records are sorted.
  func sortable(_ field: String, of type: String, _ isOn: Bool) async throws {
    try await server.engine.schemas.setIndex(
      .sortable, on: field, of: type, to: isOn, in: Self.containerEnvironment)
  }

  /// Deploys development's schema to production.
  func deploySchema() async throws {
    try await server.engine.schemas.deploy(Self.containerEnvironment.container)
  }
}
