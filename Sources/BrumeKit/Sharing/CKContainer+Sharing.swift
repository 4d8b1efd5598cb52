// Looking behind the URLs of shares, and accepting them, as calls of the container.

public import Foundation

extension CKContainer {
  // MARK: Metadata

  /// Fetches what is behind the URL of a share.
  @discardableResult
  public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
    try await answer { fetchingMetadata(url, $0) }
  }

  /// Fetches what is behind the URL of a share.
  @_disfavoredOverload
  public func fetchShareMetadata(
    with url: URL,
    completionHandler: @escaping (CKShare.Metadata?, (any Error)?) -> Void
  ) {
    run(fetchingMetadata(url) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Fetches what is behind the URLs of shares. Only a failure of the request as a whole is thrown.
  public func shareMetadatas(
    for urls: [URL]
  ) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
    try await answer { fetchingMetadatas(urls, $0) }
  }

  /// Fetches what is behind the URLs of shares. Only a failure of the request as a whole is an error.
  @preconcurrency
  public func fetchShareMetadatas(
    for urls: [URL],
    completionHandler:
      @escaping @Sendable (Result<[URL: Result<CKShare.Metadata, any Error>], any Error>) -> Void
  ) {
    run(fetchingMetadatas(urls, completionHandler))
  }

  fileprivate func fetchingMetadata(
    _ url: URL, _ end: @escaping Ending<CKShare.Metadata>
  ) -> CKOperation {
    fetchingMetadatas([url]) { all in
      end(all.single(url.absoluteString) { $0[url] })
    }
  }

  fileprivate func fetchingMetadatas(
    _ urls: [URL], _ end: @escaping Ending<[URL: Result<CKShare.Metadata, any Error>]>
  ) -> CKOperation {
    let operation = CKFetchShareMetadataOperation(shareURLs: urls)
    var results: [URL: Result<CKShare.Metadata, any Error>] = [:]
    operation.perShareMetadataResultBlock = { results[$0] = $1 }
    operation.fetchShareMetadataResultBlock = { end($0.map { results }) }
    return operation
  }

  // MARK: Accepting

  /// Accepts a share: its records appear in the user's shared database.
  @discardableResult
  public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
    try await answer { accepting(metadata, $0) }
  }

  /// Accepts a share: its records appear in the user's shared database.
  @_disfavoredOverload
  public func accept(
    _ metadata: CKShare.Metadata,
    completionHandler: @escaping (CKShare?, (any Error)?) -> Void
  ) {
    run(accepting(metadata) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Accepts shares. Only a failure of the request as a whole is thrown.
  @discardableResult
  public func accept(
    _ metadatas: [CKShare.Metadata]
  ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
    try await answer { accepting(metadatas, $0) }
  }

  /// Accepts shares. Only a failure of the request as a whole is an error.
  @preconcurrency
  public func accept(
    _ metadatas: [CKShare.Metadata],
    completionHandler:
      @escaping @Sendable (
        Result<[CKShare.Metadata: Result<CKShare, any Error>], any Error>
      ) -> Void
  ) {
    run(accepting(metadatas, completionHandler))
  }

  fileprivate func accepting(
    _ metadata: CKShare.Metadata, _ end: @escaping Ending<CKShare>
  ) -> CKOperation {
    accepting([metadata]) { all in
      end(all.single("the share") { $0[metadata] })
    }
  }

  fileprivate func accepting(
    _ metadatas: [CKShare.Metadata],
    _ end: @escaping Ending<[CKShare.Metadata: Result<CKShare, any Error>]>
  ) -> CKOperation {
    let operation = CKAcceptSharesOperation(shareMetadatas: metadatas)
    var results: [CKShare.Metadata: Result<CKShare, any Error>] = [:]
    operation.perShareResultBlock = { results[$0] = $1 }
    operation.acceptSharesResultBlock = { end($0.map { results }) }
    return operation
  }
}

// MARK: With handlers that may be called from another task

extension CKContainerCalls {
  /// Fetches what is behind the URL of a share.
  @preconcurrency
  public func fetchShareMetadata(
    with url: URL,
    completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
  ) {
    run(fetchingMetadata(url) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Accepts a share: its records appear in the user's shared database.
  @preconcurrency
  public func accept(
    _ metadata: CKShare.Metadata,
    completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
  ) {
    run(accepting(metadata) { completionHandler($0.pair.0, $0.pair.1) })
  }
}
