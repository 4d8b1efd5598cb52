// Accepting shares.

import BrumeClient
import BrumeModel
import Foundation

/// An operation that accepts shares: their records appear in the user's shared database.
///
/// Run it in the container that the metadata names. Source: Apple's `CKAcceptSharesOperation`
/// page and header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
  /// What to accept.
  open var shareMetadatas: [CKShare.Metadata]?
  /// Called once for each share. If set, ``perShareCompletionBlock`` is not called.
  open var perShareResultBlock:
    ((_ metadata: CKShare.Metadata, _ metadataResult: Result<CKShare, any Error>) -> Void)?
  /// The older form of ``perShareResultBlock``.
  open var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
  /// Called once, last. Failures of single shares do not make it a failure.
  open var acceptSharesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``acceptSharesResultBlock``: failures of single shares come as one partial
  /// failure, by the shares' URLs.
  open var acceptSharesCompletionBlock: (((any Error)?) -> Void)?

  private var errors: [AnyHashable: any Error] = [:]

  /// Creates an operation without work.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(shareMetadatas: [CKShare.Metadata]) {
    self.init()
    self.shareMetadatas = shareMetadatas
  }

  override func perform() async throws {
    let metadatas = shareMetadatas ?? []
    guard !metadatas.isEmpty else { return }
    try CKError.checkCount(metadatas.count)
    let container = effectiveContainer
    let viewpoint = try await viewpoint(of: container.sharedCloudDatabase)
    for part in metadatas.pieces(of: Limits.apple.operationsPerRequest) {
      let questions = part.map { ShortGUIDRequest(value: $0.shortGUID) }
      let answers = try await request(from: viewpoint) {
        try await container.session.acceptShares(questions)
      }
      try await report(each: part.enumerated()) { index, metadata in
        let answer = shareResult(
          answers[ifThere: index], metadata.shortGUID, metadata.share.url, viewpoint)
        self.reportOne(metadata, answer.map(\.share))
      }
    }
  }

  private func reportOne(_ metadata: CKShare.Metadata, _ result: Result<CKShare, any Error>) {
    if case .failure(let error) = result { errors[metadata.errorKey] = error }
    if let perShareResultBlock {
      perShareResultBlock(metadata, result)
    } else {
      perShareCompletionBlock?(metadata, result.pair.0, result.pair.1)
    }
  }

  override func complete(_ failure: CKError?) {
    acceptSharesResultBlock?(CKError.result(failure))
    acceptSharesCompletionBlock?(CKError.overall(failure, items: errors))
  }
}

extension CKShare.Metadata {
  /// What the share's failure is found by: its URL, as the app has it, not an optional one.
  fileprivate var errorKey: AnyHashable {
    share.url.map { AnyHashable($0) } ?? AnyHashable(share.recordID)
  }
}
