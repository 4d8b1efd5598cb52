// What imports ask of accounts.

import BrumeWire

extension ServerConnection {
  /// Makes the account, if there is none of that name.
  func makeAccount(_ name: String) async throws {
    do {
      _ = try await get("zones", [("user", name), ("limit", "1")])
    } catch is CommandFailure {
      _ = try await post("users", ["name": .string(name)])
      Output.say("made the account '\(name)'")
    }
  }

  /// The names of a user's zones.
  func zoneNames(of user: String) async throws -> [String] {
    var names: [String] = []
    var after: String?
    repeat {
      let page = try await get("zones", [("user", user)] + (after.map { [("after", $0)] } ?? []))
      names += (page["zones"]?.array ?? []).compactMap { $0["zoneID"]?["zoneName"]?.string }
      after = page["after"]?.string
    } while after != nil
    return names
  }
}
