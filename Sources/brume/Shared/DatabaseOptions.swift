// Options of commands that look into a database as one of the users.

import ArgumentParser
import BrumeModel
import BrumeWire

struct DatabaseOptions: ParsableArguments {
  private static let developer = "alice"

  @OptionGroup var server: ServerOptions

  @Option(
    help: "Whose view: a user's sign-in name. (default on development servers: alice)")
  var user: String?

  @Option(help: "public, private or shared.")
  var database = "private"

  func validate() throws {
    guard DatabaseScope(rawValue: database) != nil else {
      throw ValidationError("--database is '\(database)'; it may be public, private or shared")
    }
  }

  /// A call of Apple's protocol.
  func call(_ path: String, _ body: JSON = [:]) async throws -> JSON {
    let connection = try server.connect()
    return try await connection.database(
      path, body, scope: database, user: try await viewer(connection))
  }

  private func viewer(_ connection: ServerConnection) async throws -> String {
    if let user { return user }
    guard try await connection.get("status")["dev"]?.bool == true else {
      throw ValidationError(
        "nobody is named whose view it is: give --user NAME; 'brume user list' shows the accounts")
    }
    return Self.developer
  }
}
