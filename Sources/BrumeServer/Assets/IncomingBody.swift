// A body that nobody keeps in memory.

import BrumeModel
import Hummingbird
import NIOCore

/// A body as it arrives, piece by piece.
struct IncomingBody {
  private var parts: RequestBody.AsyncIterator
  private var isAtEnd = false
  private(set) var received: Int64 = 0
  /// The length as its header says.
  let announced: Int64?
  /// Ours: of what nobody wants so much is read at most, so that its sender reads the answer.
  private static let drained: Int64 = 1 << 30

  init(_ body: RequestBody, announced: Int64? = nil) {
    parts = body.makeAsyncIterator()
    self.announced = announced
  }

  mutating func next() async throws -> ArraySlice<UInt8>? {
    guard !isAtEnd, let part = try await parts.next(isolation: #isolation) else {
      isAtEnd = true
      return nil
    }
    received += Int64(part.readableBytes)
    return ArraySlice(part.readableBytesView)
  }

  /// - Throws: `tryAgainLater` if less came than its header says.
  func requireEnd() throws(BrumeError) {
    guard let announced, received < announced else { return }
    throw BrumeError(
      .tryAgainLater,
      "the connection broke after \(received) of \(announced) bytes; send the file again")
  }

  /// Reads on without keeping anything. False if there is more than is read for nothing.
  mutating func discardRest() async throws -> Bool {
    let most = received + Self.drained
    while received < most {
      guard try await next() != nil else { return true }
    }
    return false
  }
}
