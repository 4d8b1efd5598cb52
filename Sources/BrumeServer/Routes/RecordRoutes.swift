// records/modify, records/lookup, records/query.

import BrumeCore
import BrumeModel
import BrumeWire

enum RecordRoutes {
  static func modify(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let request = try ModifyRecordsRequest(json: json)
    let results = try await call.modifyRecords(request)
    call.count(results)
    return .json(Wire.records(results, call.options(json, desiring: request.desiredKeys)))
  }

  static func lookup(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let request = try LookupRecordsRequest(json: json)
    let results = try await call.lookupRecords(request)
    return .json(Wire.records(results, for: request, call.options(json)))
  }

  static func query(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let request = try QueryRequest(json: json)
    let page = try await call.meetingFaults(.query, zone: request.zone?.name) {
      try await offLoop { try await call.engine.query(request, in: call.scope, as: call.caller) }
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
