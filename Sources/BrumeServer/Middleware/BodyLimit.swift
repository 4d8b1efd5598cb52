// Request bodies: collected whole, up to the limit. A larger one is refused as soon as that is known
// and the connection closes, so that an upload without end cannot hold it.

import BrumeModel
import BrumeWire
import HTTPTypes
import Hummingbird
import NIOCore

enum BodyLimit {
  private static func exceeded(_ limit: Int) -> RefusedRequest {
    let error = BrumeError(
      .limitExceeded, "the request body is larger than \(limit) bytes; send it in smaller batches")
    return RefusedRequest(error: error, status: .contentTooLarge)
  }

  /// How large a compressed body is shows only when it is unpacked (docs/errors.md).
  static func refuseEncoded(_ request: Request) throws {
    let coding = request.headers[.contentEncoding] ?? "identity"
    guard coding.lowercased() != "identity" else { return }
    let error = BrumeError(
      .badRequest,
      "the request body has the Content-Encoding '\(coding.prefix(40))'; send it as it is")
    throw RefusedRequest(
      error: error, status: .unsupportedMediaType, headers: [.acceptEncoding: "identity"])
  }

  /// - Parameter share: counts the bytes, as they come, and then what becomes of them.
  static func collect(
    _ request: Request, upTo limit: Int, in share: HeldBytes.Share
  ) async throws -> [UInt8] {
    if let text = request.headers[.contentLength], let length = Int(text), length > limit {
      throw exceeded(limit)
    }
    var body: [UInt8] = []
    for try await part in request.body {
      guard body.count + part.readableBytes <= limit else { throw exceeded(limit) }
      try share.take(part.readableBytes)
      if body.isEmpty { body.reserveCapacity(part.readableBytes) }
      body += part.readableBytesView
    }
    try share.take(bytesOfBranches(body))
    return body
  }

  /// What the arrays and objects of a body take when it is read, of which `[[[` is the most in the fewest bytes. A
  /// bracket within a text counts too, since nobody has read it yet; more than may be in a request do not.
  private static func bytesOfBranches(_ body: [UInt8]) -> Int {
    let count = body.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
    return min(count, JSONBounds.values) * JSONBounds.bytesOfBranch
  }
}
