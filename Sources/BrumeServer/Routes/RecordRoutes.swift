// records/modify, records/lookup, records/query.

import BrumeCore
import BrumeModel
import BrumeWire

enum RecordRoutes {
  static func modify(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let request = try ModifyRecordsRequest(json: json)
    if let id = request.operationID {
      try TextRules.check(id, "'operationID'", upTo: call.engine.limits.labelBytes)
    }
    let token = try await call.currentSyncToken(of: request.zone)
    let results = try await call.rules.modifyRecords(request, in: call.scope, as: call.caller)
    call.count(results)
    let options = call.options(json, desiring: request.desiredKeys)
    return .json(Wire.records(results, for: request, options, syncToken: token))
  }

  static func lookup(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let request = try LookupRecordsRequest(json: json)
    let token = try await call.currentSyncToken(of: request.zone)
    let results = try await call.leading(
      call.rules.lookupRecords(request, in: call.scope, as: call.caller))
    return .json(Wire.records(results, for: request, call.options(json), syncToken: token))
  }

  static func query(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let request = try QueryRequest(json: json)
    let token = try await call.currentSyncToken(of: request.zone)
    let page = try await call.rules.query(request, in: call.scope, as: call.caller)
    let options = call.options(json, desiring: request.desiredKeys)
    return .json(Wire.queryPage(page, options, syncToken: token))
  }
}

extension Call {
  /// The zone's sync token if `getCurrentSyncToken` asks for it; nil where a zone has none.
  ///
  /// Taken before the call does its work: changes that others make meanwhile come again, and none is
  /// skipped. It is no error if there is none: the call itself says what is wrong with the zone.
  // CloudKit: iCloud's web apps send the flag, some as `True`.
  fileprivate func currentSyncToken(of zone: ZoneID?) async throws -> String? {
    guard query["getCurrentSyncToken"]?.lowercased() == "true", scope != .public, let zone else {
      return nil
    }
    let found = try await engine.zones.lookup([zone], in: scope, as: caller)
    guard case .success(let state)? = found.first else { return nil }
    return state.token
  }

  /// How this caller wants to see records.
  func options(_ json: JSON, desiring keys: [String]? = nil) -> RecordOptions {
    RecordOptions(
      desiredKeys: keys, numbersAsStrings: Wire.wantsNumbersAsStrings(json), reader: caller.user,
      downloadURL: { [server] in server.downloadURL($0) })
  }

  /// Items that need a user name the sign-in page, as whole requests do (docs/sign-in.md).
  fileprivate func leading(_ results: [RecordResult]) async throws -> [RecordResult] {
    let needsUser = results.contains { result in
      if case .failure(let failure) = result {
        failure.error.code == .authenticationRequired
      } else {
        false
      }
    }
    guard needsUser, let address = try await signInAddress() else { return results }
    return results.map { result in
      guard case .failure(let failure) = result, failure.error.code == .authenticationRequired
      else { return result }
      var error = failure.error
      error.redirectURL = address
      return .failure(ItemFailure(failure.id, error))
    }
  }

  fileprivate func count(_ results: [RecordResult]) {
    var saved = 0
    var deleted = 0
    for case .success(let outcome) in results {
      switch outcome {
      case .saved: saved += 1
      case .deleted: deleted += 1
      }
    }
    server.metrics.records(saved: saved, deleted: deleted)
  }
}
