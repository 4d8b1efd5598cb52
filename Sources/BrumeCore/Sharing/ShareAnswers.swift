// How much of shares one request answers. A share and its root have up to 1 MB each, and whoever has one address can send it
// 200 times: without a bound, a small request would fill the memory.

import BrumeModel

/// What one `records/resolve` or `records/accept` has answered so far. A value: a transaction that runs again begins with
/// the same.
struct ShareAnswers {
  /// What an answer depends on. What follows `#` is for people.
  private struct Address: Hashable {
    let value: String
    let hasRoot: Bool

    init(_ request: ShortGUIDRequest) {
      value = String(request.value.prefix { $0 != "#" })
      hasRoot = request.shouldFetchRootRecord
    }
  }

  private var room: AnswerRoom
  /// By address, so that each is read once.
  private var known: [Address: ShareResult] = [:]

  init(_ limits: Limits) { room = AnswerRoom(limits) }

  /// The answer to an address that needs no reading: it came before, or there is no room for it. Nil: it has to be read.
  mutating func known(_ request: ShortGUIDRequest) throws -> ShareResult? {
    if room.isFull { return .failure(ItemFailure(request.value, full(request))) }
    switch known[Address(request)] {
    case nil: return nil
    case .failure(let failure): return .failure(ItemFailure(request.value, failure.error))
    case .success(var metadata):
      metadata.shortGUID = request
      return try ShareResult.item(request.value) {
        try take(metadata.share, metadata.rootRecord, request)
        return metadata
      }
    }
  }

  mutating func note(_ result: ShareResult, of request: ShortGUIDRequest) {
    known[Address(request)] = result
  }

  /// Counts what the answer holds; one share always fits.
  mutating func take(
    _ share: Record, _ root: Record?, _ request: ShortGUIDRequest
  ) throws(BrumeError) {
    guard room.takes(share.answerBytes + (root?.answerBytes ?? 0)) else { throw full(request) }
  }

  private func full(_ request: ShortGUIDRequest) -> BrumeError {
    BrumeError(
      .limitExceeded,
      "the answer is full: the shares before '\(NameRules.shown(request.value))' have up to "
        + "\(room.maximum) bytes with their root records, the maximum; ask for the rest in another request"
    )
  }
}
