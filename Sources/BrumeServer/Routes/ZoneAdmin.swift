// Containers, zones, shares and change tokens, for the command line and the console.

import BrumeCore
import BrumeModel
import BrumeWire

struct ZoneAdmin: Sendable {
  let views: OperatorViews
  let administration: ZoneAdministration
  let zones: Zones
  let containers: Containers
  let lists: ZoneLists
  let shareLists: ShareLists
  let tokens: TokenInspection
  let users: NamedUsers

  func listContainers(_ call: Call) async throws -> Reply {
    .json(Wire.containers(try await containers.all()))
  }

  func list(_ call: Call) async throws -> Reply {
    let (view, part) = try await call.listView(views)
    let isSized = call.query["sizes"] == "true"
    return .json(
      Wire.zones(
        try await lists.page(of: view, after: part.after, limit: part.limit, isSized: isSized)))
  }

  func listShares(_ call: Call) async throws -> Reply {
    let (view, part) = try await call.listView(views)
    return .json(
      Wire.shares(try await shareLists.page(of: view, after: part.after, limit: part.limit)))
  }

  func create(_ call: Call) async throws -> Reply { try await modify(.create, call) }

  func delete(_ call: Call) async throws -> Reply { try await modify(.delete, call) }

  /// `{"user": …, "zones": [{"zoneName": …}]}`, answered as Apple's zones/modify.
  private func modify(_ kind: ZoneOperation.Kind, _ call: Call) async throws -> Reply {
    let json = try call.json()
    let view = try await call.view(json, views)
    try view.requireWriter()
    let named = try Wire.zoneLookup(json).map { ZoneOperation(kind, view.zone($0) ?? $0) }
    return .json(Wire.zones(try await zones.modify(named, in: view.scope, as: view.caller)))
  }

  func purge(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let user = try await users.user(json.text("user"))
    try await administration.purge(json.text("zone"), of: user.id, in: call.containerEnvironment)
    return .empty
  }

  func decodeToken(_ call: Call) async throws -> Reply {
    .json(Wire.tokenContents(try await tokens.contents(of: try call.json().text("token"))))
  }
}
