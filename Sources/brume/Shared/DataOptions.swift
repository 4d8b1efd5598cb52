// Options of commands that look into and change a database as the operator: whose it is, and whose rights
// hold. `DatabaseOptions` is for what Apple's protocol does as a signed-in user.

import ArgumentParser
import BrumeModel
import BrumeWire

struct DataOptions: ParsableArguments {
  @OptionGroup var server: ServerOptions

  @Option(help: "Whose database: a user's sign-in name. In the public one: who makes the change.")
  var user: String?

  @Option(help: "Whose rights hold, instead of the operator's: a user's sign-in name.")
  var `as`: String?

  @Option(help: "public, private or shared. (default: private, with --user)")
  var database: String?

  func validate() throws {
    if let database, DatabaseScope(rawValue: database) == nil {
      throw ValidationError("--database is '\(database)'; it may be public, private or shared")
    }
    guard user != nil || database == "public" || (database == "shared" && self.as != nil) else {
      throw ValidationError("no database is named: give --user NAME, or --database public")
    }
  }

  /// A call with the members that name the database.
  func call(_ path: String, _ body: JSON) async throws -> JSON {
    if database == "shared", path.hasPrefix("records/") {
      let name = self.as ?? user ?? "NAME"
      throw ValidationError(
        "records that are shared with \(name) are in their owner's database: give --user OWNER --as \(name) "
          + "--zone ZONE; 'brume zones list --user \(name) --database shared' shows zones and owners"
      )
    }
    var members = body.object ?? JSONObject()
    members["database"] = database.map { .string($0) }
    members["user"] = user.map { .string($0) }
    members["as"] = self.as.map { .string($0) }
    return try await server.connect().post(path, .object(members))
  }
}

/// A zone that a command is about.
struct ZoneOption: ParsableArguments {
  @Option(help: "The zone. (default: the default zone)") var zone: String?

  var id: ZoneID? { zone.map { ZoneID(name: $0) } }
}
