// A token with which a web page acts for the current user.

import BrumeClient
import BrumeModel

/// An operation that exchanges an API token for a web auth token of the current user.
///
/// The token is short-lived; give it to a page that talks to the server over HTTP. Source: Apple's
/// `CKFetchWebAuthTokenOperation` page.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKFetchWebAuthTokenOperation: CKDatabaseOperation, @unchecked Sendable {
  /// The API token, which names the page's program to the server.
  open var apiToken: String?
  /// Called once, last, with the web auth token.
  open var fetchWebAuthTokenResultBlock: ((_ operationResult: Result<String, any Error>) -> Void)?
  /// The older form of ``fetchWebAuthTokenResultBlock``.
  open var fetchWebAuthTokenCompletionBlock: ((String?, (any Error)?) -> Void)?

  private var webAuthToken: String?

  /// Creates an operation without an API token.
  public override init() { super.init() }

  /// Creates an operation.
  public convenience init(apiToken APIToken: String) {
    self.init()
    self.apiToken = APIToken
  }

  override func perform() async throws {
    guard let apiToken, !apiToken.isEmpty else {
      throw CKError(.invalidArguments, "The operation has no apiToken. Set one.")
    }
    let session = effectiveDatabase.connection.session
    let token = try await request(from: Viewpoint(scope: .private)) {
      try await session.webAuthToken(exchanging: apiToken)
    }
    await report { self.webAuthToken = token }
  }

  override func complete(_ failure: CKError?) {
    if let webAuthToken, failure == nil {
      fetchWebAuthTokenResultBlock?(.success(webAuthToken))
      fetchWebAuthTokenCompletionBlock?(webAuthToken, nil)
    } else {
      let failure = failure ?? .missingAnswer(for: "the web auth token")
      fetchWebAuthTokenResultBlock?(.failure(failure))
      fetchWebAuthTokenCompletionBlock?(nil, failure)
    }
  }
}
