// Request bodies: collected whole, up to the limit. A larger one is refused as soon as that is known
// and the connection closes, so that an upload without end cannot hold it.

import BrumeModel
import HTTPTypes
import Hummingbird
import NIOCore

enum BodyLimit {
  /// Answers 413 and closes the connection.
  struct Exceeded: Error {
    let limit: Int
    var error: BrumeError {
      BrumeError(
        .limitExceeded, "the request body is larger than \(limit) bytes; send it in smaller batches"
      )
    }
  }

  static func collect(_ request: Request, upTo limit: Int) async throws -> [UInt8] {
    if let text = request.headers[.contentLength], let length = Int(text), length > limit {
      throw Exceeded(limit: limit)
    }
    var body: [UInt8] = []
    for try await part in request.body {
      guard body.count + part.readableBytes <= limit else { throw Exceeded(limit: limit) }
      if body.isEmpty { body.reserveCapacity(part.readableBytes) }
      body += part.readableBytesView
    }
    return body
  }
}
