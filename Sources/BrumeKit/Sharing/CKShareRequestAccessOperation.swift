// Asking the owners of shares for access.

import BrumeClient
import BrumeModel
public import Foundation

/// An operation that asks the owners of shares for access.
///
/// It succeeds for every URL that it could send: whether there is such a share, and whether it takes
/// requests, is not returned. Source: Apple's `CKShareRequestAccessOperation` page.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKShareRequestAccessOperation: CKOperation, @unchecked Sendable {
  /// The URLs of the shares.
  open var shareURLs: [URL]?
  /// Called once for each URL.
  open var perShareAccessRequestResultBlock: ((URL, Result<Void, any Error>) -> Void)?
  /// Called once, last.
  open var shareAccessRequestResultBlock: ((Result<Void, any Error>) -> Void)?

  /// Creates an operation without work.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(shareURLs: [URL]) {
    self.init()
    self.shareURLs = shareURLs
  }

  override func perform() async throws {
    let urls = shareURLs ?? []
    guard !urls.isEmpty else { return }
    let container = effectiveContainer
    let viewpoint = try await viewpoint(of: container.sharedCloudDatabase)
    for part in urls.pieces(of: Limits.apple.operationsPerRequest) {
      let questions = part.map { ShortGUIDRequest(value: $0.lastPathComponent) }
      try await request(from: viewpoint) {
        try await container.session.requestShareAccess(questions)
      }
      try await report(each: part) { self.perShareAccessRequestResultBlock?($0, .success(())) }
    }
  }

  override func complete(_ failure: CKError?) {
    shareAccessRequestResultBlock?(CKError.result(failure))
  }
}

extension CKContainer {
  /// Asks the owners of shares for access. It does not learn whether there are such shares.
  public func requestShareAccess(for urls: [URL]) async throws -> [URL: Result<Void, any Error>] {
    try await answer { end in
      let operation = CKShareRequestAccessOperation(shareURLs: urls)
      var results: [URL: Result<Void, any Error>] = [:]
      operation.perShareAccessRequestResultBlock = { results[$0] = $1 }
      operation.shareAccessRequestResultBlock = { end($0.map { results }) }
      return operation
    }
  }
}
