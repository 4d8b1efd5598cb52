// The address of the sign-in page, for errors that a user can cure by signing in (docs/sign-in.md).

import BrumeCore
import BrumeModel
import HTTPTypes

struct SignInAddress: Sendable {
  let signIns: SignIns
  let server: ServerAddress

  /// Where the user signs in whom a request needs; nil if its API token is of no use.
  func address(for credentials: Credentials) async throws -> String? {
    try await signIns.begin(for: credentials).map {
      "\(server.url)\(SignInRoutes.path)/?state=\($0)"
    }
  }

  /// The same for a call that has got as far as its handler; nil if it names no container.
  func address(for call: Call) async throws -> String? {
    guard let containerEnvironment = call.databasePath.containerEnvironment else { return nil }
    return try await address(
      for: Credentials(
        in: containerEnvironment, apiToken: call.query["ckAPIToken"],
        origin: call.headers[.origin], requestID: call.caller.requestID))
  }
}
