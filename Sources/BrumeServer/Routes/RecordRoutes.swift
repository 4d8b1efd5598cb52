// records/modify, records/lookup, records/query.

import BrumeCore
import BrumeModel
import BrumeWire

struct RecordRoutes: Sendable {
  let rules: any RuleCalls
  let zones: Zones
  let addresses: AssetAddresses
  let signIn: SignInAddress
  let metrics: ServerMetrics
  let limits: Limits

  func modify(_ call: Call) async throws -> Reply {
    let bodyBytes = call.body.all.count
    let (request, options) = try read(call)
    try limits.check(operationID: request.operationID)
    try call.answer.take(request.bytesOfAnswer(toBody: bodyBytes))
    let token = try await currentSyncToken(call, of: request.zone)
    let results = try await rules.modifyRecords(request, in: call.scope, as: call.caller)
    metrics.count(results)
    // What is done is answered, also where there is no page to name.
    let answers = (try? await leading(results, of: call)) ?? results
    let pieces = Wire.recordsInPieces(answers, for: request, options, syncToken: token)
    return Reply(body: .pieces(pieces))
  }

  /// Neither the body nor its JSON is kept while the save waits for its turn.
  private func read(_ call: Call) throws -> (ModifyRecordsRequest, RecordOptions) {
    let json = try call.json()
    let request = try ModifyRecordsRequest(json: json)
    call.body.letGo()
    return (
      request,
      RecordOptions(json, for: call.caller, desiring: request.desiredKeys, addresses)
    )
  }

  func lookup(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let request = try LookupRecordsRequest(json: json)
    let token = try await currentSyncToken(call, of: request.zone)
    let results = try await leading(
      rules.lookupRecords(request, in: call.scope, as: call.caller), of: call)
    let options = RecordOptions(json, for: call.caller, addresses)
    let pieces = Wire.recordsInPieces(results, for: request, options, syncToken: token)
    return Reply(body: .pieces(pieces))
  }

  func query(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let request = try QueryRequest(json: json)
    let token = try await currentSyncToken(call, of: request.zone)
    let page = try await rules.query(request, in: call.scope, as: call.caller)
    let options = RecordOptions(
      json, for: call.caller, desiring: request.desiredKeys, addresses)
    return Reply(body: .pieces(Wire.queryPageInPieces(page, options, syncToken: token)))
  }
}

extension Limits {
  /// - Throws: `badRequest` for one that is too long, or holds a control character.
  func check(operationID: String?) throws(BrumeError) {
    guard let operationID else { return }
    try TextRules.check(operationID, "'operationID'", upTo: labelBytes)
  }
}

extension ModifyRecordsRequest {
  /// Ours: what an answer says of a record beside what its save has brought.
  private static let bytesOfRecord = 512

  /// About how many the answer will have, as far as the request shows: a record may have grown by other saves.
  fileprivate func bytesOfAnswer(toBody bytes: Int) -> Int {
    let fields = desiredKeys?.isEmpty ?? false ? 0 : bytes
    return fields + Self.bytesOfRecord * operations.count { !$0.kind.isDelete }
  }
}

extension RecordRoutes {
  /// The zone's sync token if `getCurrentSyncToken` asks for it; nil where a zone has none.
  ///
  /// Taken before the call does its work: changes that others make meanwhile come again, and none is
  /// skipped. It is no error if there is none: the call itself says what is wrong with the zone.
  // CloudKit: iCloud's web apps send the flag, some as `True`.
  private func currentSyncToken(_ call: Call, of zone: ZoneID?) async throws -> String? {
    guard call.query["getCurrentSyncToken"]?.lowercased() == "true", call.scope != .public, let zone
    else { return nil }
    let found = try await zones.lookup([zone], in: call.scope, as: call.caller)
    guard case .success(let state)? = found.first else { return nil }
    return state.token
  }

  /// Items that need a user name the sign-in page, as whole requests do (docs/sign-in.md).
  private func leading(_ results: [RecordResult], of call: Call) async throws -> [RecordResult] {
    let needsUser = results.contains { result in
      if case .failure(let failure) = result {
        failure.error.code == .authenticationRequired
      } else {
        false
      }
    }
    guard needsUser, let address = try await signIn.address(for: call) else { return results }
    return results.map { result in
      guard case .failure(let failure) = result, failure.error.code == .authenticationRequired
      else { return result }
      var error = failure.error
      error.redirectURL = address
      return .failure(ItemFailure(failure.id, error))
    }
  }
}

extension ServerMetrics {
  /// Counts what a request saved and deleted.
  func count(_ results: [RecordResult]) {
    var saved = 0
    var deleted = 0
    for case .success(let outcome) in results {
      switch outcome {
      case .saved: saved += 1
      case .deleted: deleted += 1
      }
    }
    records(saved: saved, deleted: deleted)
  }
}
