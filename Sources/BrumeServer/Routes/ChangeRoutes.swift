// changes/database, changes/zone, and their deprecated forms zones/changes and records/changes.

import BrumeCore
import BrumeModel
import BrumeWire

struct ChangeRoutes: Sendable {
  let rules: any RuleCalls
  let changes: Changes
  let addresses: AssetAddresses

  func database(_ call: Call) async throws -> Reply {
    let request = try FeedRequest(json: call.json())
    let page = try await rules.databaseChanges(request, in: call.scope, as: call.caller)
    return .json(Wire.databaseChanges(page))
  }

  func zone(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let requests = try Wire.zoneChangesRequests(json)
    let results = try await rules.zoneChanges(requests, in: call.scope, as: call.caller)
    let options = RecordOptions(json, of: call, addresses)
    return Reply(body: .pieces(Wire.zoneChangesInPieces(results, for: requests, options)))
  }

  // MARK: Deprecated forms

  /// records/changes: one zone, and its members at the top level.
  func recordChanges(_ call: Call) async throws -> Reply {
    let json = try call.json()
    // Read here too: errors about it must not speak of `zones`, which this client did not send.
    guard case .object(var zone) = json, try zone.zoneID("zoneID") != nil else {
      throw BrumeError(
        .badRequest, "'zoneID' is missing; name a custom zone, others have no changes")
    }
    zone["zones"] = .array([.object(JSONObject(uniqueMembers: zone.members))])
    let requests = try Wire.zoneChangesRequests(.object(zone))
    let results = try await rules.zoneChanges(requests, in: call.scope, as: call.caller)
    if case .failure(let failure)? = results.first { throw failure.error }
    let reply = try JSON(
      parsing: Wire.zoneChanges(results, for: requests, RecordOptions(json, of: call, addresses)))
    guard case .object(var page)? = reply["zones"]?.array?.first else { return .empty }
    if case .success(let found)? = results.first, found.isReverse { page["reverse"] = true }
    return .json(.object(page))
  }

  /// zones/changes: as changes/database, with a token of another name.
  func zones(_ call: Call) async throws -> Reply {
    let object = try call.json().asObject("the body")
    let page = try await changes.ofDatabase(
      since: object.string("metaSyncToken"),
      limit: object.limit("resultsLimit"),
      in: call.scope, as: call.caller)
    guard case .object(var reply) = try JSON(parsing: Wire.databaseChanges(page)) else {
      return .empty
    }
    reply["metaSyncToken"] = reply["syncToken"]
    reply["syncToken"] = nil
    return .json(.object(reply))
  }
}
