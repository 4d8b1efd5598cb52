// changes/database, changes/zone, and their deprecated forms zones/changes and records/changes.

import BrumeModel
import BrumeWire

struct ChangeRoutes: Sendable {
  let rules: any RuleCalls
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
    let options = RecordOptions(json, for: call.caller, addresses)
    return Reply(body: .pieces(Wire.zoneChangesInPieces(results, for: requests, options)))
  }

  // MARK: Deprecated forms

  /// records/changes: one zone, and its members at the top level.
  func recordChanges(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let request = try Wire.recordChangesRequest(json)
    let options = RecordOptions(json, for: call.caller, addresses)
    switch try await rules.zoneChanges([request], in: call.scope, as: call.caller).first {
    case .success(let page)?:
      return Reply(body: .pieces(Wire.recordChangesInPieces(page, for: request, options)))
    case .failure(let failure)?: throw failure.error
    case nil: return .empty
    }
  }

  /// zones/changes: as changes/database, with a token of another name.
  func zones(_ call: Call) async throws -> Reply {
    let object = try call.json().asObject("the body")
    let request = FeedRequest(
      token: try object.string("metaSyncToken"), limit: try object.limit("resultsLimit"))
    let page = try await rules.databaseChanges(request, in: call.scope, as: call.caller)
    guard case .object(var reply) = try JSON(parsing: Wire.databaseChanges(page)) else {
      return .empty
    }
    reply["metaSyncToken"] = reply["syncToken"]
    reply["syncToken"] = nil
    return .json(.object(reply))
  }
}
