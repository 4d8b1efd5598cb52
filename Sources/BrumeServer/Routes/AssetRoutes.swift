// assets/upload, assets/rereference and our own IDs of assets, and the two addresses that they and records hand out. The
// addresses carry their own proof; credentials that come with them are ignored.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire
import HTTPTypes
import HummingbirdCore
import NIOCore

struct AssetRoutes: Sendable {
  /// Ours: so much of a file on its way is in memory, which is two pieces: one that leaves, and one that waits.
  static let bytesAtOnce = 262_144

  let rules: any RuleCalls
  let uploads: AssetUploads
  let rereferences: AssetRereferences
  let exports: AssetExports
  let downloads: AssetDownloads
  let addresses: AssetAddresses
  let limits: Limits
  let metrics: ServerMetrics

  /// Tokens, in request order.
  func tokens(_ call: Call) async throws -> Reply {
    let request = try AssetUploadRequest(json: call.json())
    var tickets = try await rules.uploadTickets(request, in: call.scope, as: call.caller)
    for index in tickets.indices {
      tickets[index].ticket = addresses.upload(ticket: tickets[index].ticket)
    }
    return .json(Wire.uploadTickets(tickets))
  }

  func rereference(_ call: Call) async throws -> Reply {
    let request = try AssetRereferenceRequest(json: call.json())
    let results = try await rereferences.make(
      request, in: call.scope, as: call.caller)
    return .json(Wire.assetResults(results))
  }

  func export(_ call: Call) async throws -> Reply {
    let request = try AssetRereferenceRequest(json: call.json())
    return .json(
      Wire.assetExports(try await exports.make(request, in: call.scope, as: call.caller)))
  }

  func takeExported(_ call: Call) async throws -> Reply {
    let request = try AssetImportRequest(json: call.json())
    return .json(
      Wire.assetResults(try await exports.take(request, in: call.scope, as: call.caller)))
  }

  /// A file arrives: the body as it is, or a form with one part.
  func upload(_ call: Call) async throws -> Reply {
    guard let body = call.incoming else {
      throw BrumeError(
        .badRequest,
        "there is no body; send the file as the body")
    }
    var file = IncomingFile(body, limits)
    do {
      guard let ticket = call.query["ticket"] else {
        throw BrumeError(
          .badRequest, "the address lacks its ticket; use it as assets/upload gave it")
      }
      try uploads.check(ticket)
      try file.read(call.headers)
      let asset = try await uploads.receive(ticket, announced: file.announced) {
        try await file.next()
      }
      metrics.assetUploaded(bytes: asset.size)
      return .json(Wire.singleFile(asset))
    } catch let error as BrumeError {
      // Who is still sending would not read the answer: the body is read to its end, within limits.
      let isWhole = try await file.discardRest()
      throw RefusedRequest.upload(error, isWhole: isWhole)
    }
  }

  /// A file, or a part of it, for whoever has the address. Headers alone for HEAD.
  func download(_ call: Call) async throws -> Reply {
    guard let token = call.query["pass"] else {
      throw BrumeError(.badRequest, "the address lacks its pass; use it as the record gave it")
    }
    let (file, lifetime) = try await rules.openAsset(token, as: call.caller)
    let answer = AssetAnswer(file: file, lifetime: lifetime, request: call.headers)
    var reply = Reply(status: answer.status, headers: answer.headers, body: .bytes([]))
    reply.contentType = "application/octet-stream"
    guard let range = answer.range, call.method != .head else { return reply }
    reply.streamed = min(range.count, Self.bytesAtOnce)
    reply.body = .stream { @concurrent writer in
      // Nobody else has it: each piece is written before the next is read, all in this closure.
      nonisolated(unsafe) var out = writer
      try await downloads.read(file, range) { piece in
        try await out.write(ByteBuffer(bytes: piece))
        metrics.assetDownloaded(bytes: Int64(piece.count))
      }
      writer = out
      try await writer.finish(nil)
    }
    return reply
  }
}
