// For operators: a backup, sent into the running server, checked and written beside its data, and applied at a word.

import BrumeCore
import BrumeModel
import BrumeWire
import HTTPTypes

struct RestoreAdmin: Sendable {
  let restores: RestoreInPlace

  func state(_ call: Call) async throws -> Reply {
    .json(Wire.restore(restores.report()))
  }

  /// The file is the body.
  func send(_ call: Call) async throws -> Reply {
    guard let body = call.incoming else {
      throw BrumeError(.badRequest, "there is no body; send the file of the backup as the body")
    }
    let length = call.headers[.contentLength].flatMap { Int64($0) }
    var incoming = IncomingBody(body, announced: length)
    do {
      try await restores.receive(&incoming)
    } catch let error as BrumeError {
      // Who is still sending would not read the answer.
      let isWhole = try await incoming.discardRest()
      throw RefusedRequest.upload(error, isWhole: isWhole)
    }
    return .json(Wire.restore(restores.report()))
  }

  func apply(_ call: Call) async throws -> Reply {
    let id = try call.json().text("id")
    try restores.apply(
      id,
      for: Audit.Act(
        operatorName: call.caller.access?.name ?? "", address: call.address.name,
        requestID: call.caller.requestID, action: "backups/restore/apply"))
    return .json(Wire.restore(restores.report()))
  }

  func remove(_ call: Call) async throws -> Reply {
    try restores.remove(try call.json().text("id"))
    return .empty
  }
}
