// What exports and imports ask of accounts, and of the place where they are.

import BrumeClient
import BrumeModel
import BrumeWire

extension ServerConnection {
  /// Makes the account, if there is none of that name.
  func makeAccount(_ name: String) async throws {
    do {
      _ = try await send("zones", ["user": .string(name), "limit": 1])
    } catch let error as BrumeError {
      guard error.code == .notFound else { throw CommandFailure(error.reason, error.exitStatus) }
      _ = try await post("users", ["name": .string(name)])
      Output.say("made the account '\(name)'")
    } catch let failure as CallFailure {
      throw access.failure(failure, changing: false)
    }
  }

  /// The container and the environment that calls are about: the server's own, if the command names none.
  func namedPlace() async throws -> JSON {
    let named = Dictionary(place, uniquingKeysWith: { $1 })
    var container = named["container"]
    if container == nil { container = try await get("status")["container"]?.string }
    return [
      "container": .string(container ?? ""),
      "environment": .string(named["environment"] ?? Environment.development.rawValue),
    ]
  }

  /// The names of a user's zones.
  func zoneNames(of user: String) async throws -> [String] {
    try await all("zones", of: user).compactMap { $0["zoneID"]?["zoneName"]?.string }
  }

  /// All items of one of the operator's lists about a user.
  func all(_ list: String, of user: String) async throws -> [JSON] {
    var items: [JSON] = []
    try await eachPage(of: list, [("user", user)]) { items += $0[list]?.array ?? [] }
    return items
  }
}
