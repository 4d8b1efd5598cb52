// Options of commands that look into a database as one of the users.

import ArgumentParser
import BrumeModel
import BrumeWire

struct DatabaseOptions: ParsableArguments {
  @OptionGroup var server: ServerOptions

  @Option(help: "Whose view: a user's sign-in name.")
  var user = "alice"

  @Option(help: "public, private or shared.")
  var database = "private"

  func validate() throws {
    guard DatabaseScope(rawValue: database) != nil else {
      throw ValidationError("--database is '\(database)'; it may be public, private or shared")
    }
  }

  /// A call of Apple's protocol.
  func call(_ path: String, _ body: JSON = [:]) async throws -> JSON {
    try await server.connect().database(path, body, scope: database, user: user)
  }
}
