// records/modify, records/lookup, records/query.

import BrumeCore
import BrumeModel
import BrumeWire

enum RecordRoutes {
  static func modify(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let request = try ModifyRecordsRequest(json: json)
    let results = try await call.engine.modifyRecords(request, in: call.scope, as: call.caller)
    call.count(results)
    return .json(Wire.records(results, call.options(json, desiring: request.desiredKeys)))
  }

  static func lookup(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let request = try LookupRecordsRequest(json: json)
    let results = try await call.leading(
      call.engine.lookupRecords(request, in: call.scope, as: call.caller))
    return .json(Wire.records(results, for: request, call.options(json)))
  }

  static func query(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let request = try QueryRequest(json: json)
    let page = try await offLoop {
      try await call.engine.query(request, in: call.scope, as: call.caller)
    }
    return .json(Wire.queryPage(page, call.options(json, desiring: request.desiredKeys)))
  }
}

extension Call {
  /// How this caller wants to see records.
  func options(_ json: JSON, desiring keys: [String]? = nil) -> RecordOptions {
    RecordOptions(
      desiredKeys: keys, numbersAsStrings: Wire.wantsNumbersAsStrings(json), reader: caller.user,
      downloadURL: { [server] in server.downloadURL($0) })
  }

  /// Records as they are, with addresses for their assets.
  var assetOptions: RecordOptions {
    RecordOptions(downloadURL: { [server] in server.downloadURL($0) })
  }

  /// Items that need a user name the sign-in page, as whole requests do (web services 2.3).
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
