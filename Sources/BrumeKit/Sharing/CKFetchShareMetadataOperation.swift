// What is behind the URL of a share.

import BrumeClient
import BrumeModel
public import Foundation

/// An operation that fetches what is behind the URLs of shares.
///
/// Source: Apple's `CKFetchShareMetadataOperation` page and header.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
  /// The URLs.
  open var shareURLs: [URL]?
  /// Whether to fetch the root records too. Without effect for shares of zones.
  open var shouldFetchRootRecord = false
  /// The fields of root records to fetch: nil means all, an empty list none.
  open var rootRecordDesiredKeys: [CKRecord.FieldKey]?
  /// Called once for each URL. If set, ``perShareMetadataBlock`` is not called.
  open var perShareMetadataResultBlock:
    ((_ shareURL: URL, _ shareMetadataResult: Result<CKShare.Metadata, any Error>) -> Void)?
  /// The older form of ``perShareMetadataResultBlock``.
  open var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)?
  /// Called once, last. Failures of single URLs do not make it a failure.
  open var fetchShareMetadataResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
  /// The older form of ``fetchShareMetadataResultBlock``: failures of single URLs come as one
  /// partial failure.
  open var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)?

  private var fetched = ItemResults<URL, CKShare.Metadata>()

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
    try CKError.checkCount(urls.count)
    let container = effectiveContainer
    let viewpoint = try await viewpoint(of: container.sharedCloudDatabase)
    for part in urls.pieces(of: Limits.apple.operationsPerRequest) {
      try await fetch(Array(part), from: container, viewpoint)
    }
  }

  private func fetch(
    _ urls: [URL], from container: CKContainer, _ viewpoint: Viewpoint
  ) async throws {
    let questions = urls.map {
      ShortGUIDRequest(
        value: $0.lastPathComponent, shouldFetchRootRecord: shouldFetchRootRecord,
        rootRecordDesiredKeys: rootRecordDesiredKeys)
    }
    let answers = try await request(from: viewpoint) {
      try await container.session.resolveShares(questions)
    }
    for (index, url) in urls.enumerated() {
      let result = shareResult(answers[ifThere: index], url.absoluteString, url, viewpoint)
      if let root = try? result.get().rootRecord {
        // A file that cannot be fetched stays away; the share itself is there all the same.
        _ = try await withFiles(
          .success(root), from: viewpoint,
          again: { key in try await self.root(at: url, with: key, from: container, viewpoint) })
      }
      try await report(each: [result]) { self.reportOne(url, $0) }
    }
  }

  /// Who has not accepted the share finds its root nowhere else.
  private func root(
    at url: URL, with key: CKRecord.FieldKey, from container: CKContainer, _ viewpoint: Viewpoint
  ) async throws -> CKRecord? {
    let question = ShortGUIDRequest(
      value: url.lastPathComponent, shouldFetchRootRecord: true, rootRecordDesiredKeys: [key])
    let answers = try await request(from: viewpoint) {
      try await container.session.resolveShares([question])
    }
    return try? shareResult(answers.first, url.absoluteString, url, viewpoint).get().rootRecord
  }

  private func reportOne(_ url: URL, _ result: Result<CKShare.Metadata, any Error>) {
    fetched.add(url, result)
    if let perShareMetadataResultBlock {
      perShareMetadataResultBlock(url, result)
    } else {
      perShareMetadataBlock?(url, result.pair.0, result.pair.1)
    }
  }

  override func complete(_ failure: CKError?) {
    fetchShareMetadataResultBlock?(CKError.result(failure))
    fetchShareMetadataCompletionBlock?(CKError.overall(failure, items: fetched.errors))
  }
}

/// One answer about a share, which has a URL.
func shareResult(
  _ answer: ShareResult?, _ name: String, _ url: URL?, _ viewpoint: Viewpoint
) -> Result<CKShare.Metadata, any Error> {
  switch answer {
  case .success(let metadata): .success(CKShare.Metadata(metadata, from: viewpoint))
  case .failure(let failure): .failure(CKError(failure.error, ofShareAt: url, from: viewpoint))
  case nil: .failure(CKError.missingAnswer(for: "share '\(name)'"))
  }
}

extension CKError {
  /// What the server said of a share. Who has to prove an address does so where the share's URL leads
  /// (case SHR-27).
  fileprivate init(_ error: BrumeError, ofShareAt url: URL?, from viewpoint: Viewpoint) {
    self.init(error, from: viewpoint)
    guard code == .participantMayNeedVerification, let url else { return }
    self = CKError(code, error.reason, userInfo: userInfo.merging([NSURLErrorKey: url]) { $1 })
  }
}
