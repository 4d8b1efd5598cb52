// The file in an upload's body, piece by piece, whichever form the body has.

import BrumeCore
import BrumeModel
import BrumeWire
import HTTPTypes
import Hummingbird

struct IncomingFile {
  /// How much larger than its file a form may be.
  private let formBytes: Int64
  private let headerBytes: Int
  private let limit: Int64
  private var body: IncomingBody
  private var form: MultipartReader?
  /// The body's length as its header says; the file has no more.
  private(set) var announced: Int64?

  init(_ body: RequestBody, _ limits: Limits) {
    self.body = IncomingBody(body)
    limit = limits.assetBytes
    formBytes = limits.assetFormBytes
    headerBytes = limits.multipartHeaderBytes
  }

  /// Learns the form, and refuses what is announced too large before a byte is written.
  mutating func read(_ headers: HTTPFields) throws(BrumeError) {
    if let type = headers[.contentType] {
      form = try MultipartReader(contentType: type, headerBytes: headerBytes)
    }
    let most = limit + (form == nil ? 0 : formBytes)
    let length = headers[.contentLength].flatMap { Int64($0) }
    if let length, length > most { throw AssetMeter.tooLarge(limit) }
    announced = length.map { max(0, min($0, limit)) }
  }

  /// The next piece of the file's content, never empty; nil at the end.
  mutating func next() async throws -> ArraySlice<UInt8>? {
    while let part = try await body.next() {
      let piece = try form == nil ? part : form?.take(part) ?? []
      if body.received > limit + formBytes { throw AssetMeter.tooLarge(limit) }
      if !piece.isEmpty { return piece }
    }
    try form?.finish()
    return nil
  }

  /// Reads on without keeping anything, up to twice the limit. False if there is more.
  mutating func discardRest() async throws -> Bool {
    while body.received <= 2 * limit + formBytes {
      guard try await body.next() != nil else { return true }
    }
    return false
  }
}
