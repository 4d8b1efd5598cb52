// A token for a web page of the same user: what CKFetchWebAuthTokenOperation fetches.

import BrumeModel
import BrumeStorage

extension Engine {
  /// A web auth token of the caller, for the holder of an API token of this container.
  ///
  /// It is as short-lived as that of a sign-in without "keep me signed in", and its session is the
  /// caller's.
  package func webAuthToken(
    exchanging apiToken: String, as caller: Caller
  ) async throws -> String {
    let user = try caller.requireUser()
    let known = try await store.read { transaction in try transaction.apiToken(apiToken) }
    guard let known, known.container == caller.container,
      known.environment == caller.environment
    else {
      throw BrumeError(
        .badRequest,
        "the API token is unknown in container '\(caller.container.name)', "
          + "\(caller.environment.rawValue); make one with `brume token create`")
    }
    return try await webAuthToken(
      for: user, container: caller.container, environment: caller.environment, keep: false,
      sessionEnds: caller.sessionEnds)
  }
}
