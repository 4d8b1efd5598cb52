// The calls that belong to no database: users, sharing, devices, kept notifications.

package import BrumeModel
import BrumeWire

extension Session {
  /// `/database/1/{container}/{environment}`.
  func databasePath() throws(CallFailure) -> String {
    let settings = try configuration.get()
    let container = FormText.escaped(settings.container.name)
    return "/database/1/\(container)/\(settings.environment.rawValue)"
  }

  /// The parameters by which our own paths know the container.
  func place() throws(CallFailure) -> [(String, String)] {
    let settings = try configuration.get()
    return [
      ("container", settings.container.name), ("environment", settings.environment.rawValue),
    ]
  }

  /// Who the current user is.
  package func currentUser() async throws -> UserIdentity {
    let identity = try await call(
      "GET", databasePath() + "/public/users/caller", isRead: true, as: Wire.identity)
    // The server names the caller or refuses; anything else is somebody else's answer, and no sign
    // that nobody is signed in.
    guard identity.user != nil else { throw CallFailure.malformedAnswer("it names no user") }
    return identity
  }

  /// The accounts behind addresses, numbers or record names; who is not found is left out.
  package func discoverUsers(_ wanted: [UserIdentity]) async throws -> [UserIdentity] {
    try await call(
      "POST", databasePath() + "/public/users/discover", body: Wire.lookupInfos(wanted),
      isRead: true, as: Wire.users)
  }

  /// The accounts that the current user has to do with: who shares with them, and with whom they share.
  package func discoverContacts() async throws -> [UserIdentity] {
    try await call(
      "GET", databasePath() + "/public/users/discover", isRead: true, as: Wire.users)
  }

  /// What the holder of a share's address may know of it. What did not fit into an answer is asked for again.
  package func resolveShares(_ requests: [ShortGUIDRequest]) async throws -> [ShareResult] {
    try await askAgain(for: requests) { requests in
      try await call(
        "POST", databasePath() + "/public/records/resolve", body: Wire.shortGUIDs(requests),
        isRead: true, as: Wire.shareResults)
    }
  }

  /// Takes part in shares. Those for whose answer there was no room are not joined, and come in another request.
  package func acceptShares(_ requests: [ShortGUIDRequest]) async throws -> [ShareResult] {
    try await askAgain(for: requests) { requests in
      try await call(
        "POST", databasePath() + "/public/records/accept", body: Wire.shortGUIDs(requests),
        isRead: false, isRepeatable: true, as: Wire.shareResults)
    }
  }

  /// Asks the owners of shares for access. The answer never says whether there is such a share.
  package func requestShareAccess(_ requests: [ShortGUIDRequest]) async throws {
    _ = try await call(
      "POST", "/_brume/shares/request", query: place(), body: Wire.shortGUIDs(requests),
      isRead: false, isRepeatable: true)
  }

  /// A short-lived web auth token of the current user, for the holder of an API token.
  package func webAuthToken(exchanging apiToken: String) async throws -> String {
    let question: JSON = ["apiToken": .string(apiToken)]
    let answer = try await call(
      "POST", "/_brume/users/token", query: place(), body: question.bytes(), isRead: true)
    guard let token = answer["webAuthToken"]?.string else {
      throw CallFailure.malformedAnswer("the answer has no webAuthToken")
    }
    return token
  }

  /// Makes this device one that gets pushes, whether or not it is listening now.
  package func registerDevice() async throws {
    _ = try await call(
      "POST", "/_brume/devices", query: place(), body: Wire.empty, isRead: false, isRepeatable: true
    )
  }

  /// Notifications of the past after a token.
  package func keptNotifications(
    token: String?, limit: Int? = nil
  ) async throws -> KeptNotificationsPage {
    let request = FeedRequest(token: token, limit: limit)
    return try await call(
      "POST", "/_brume/notifications/changes", query: place(), body: request.bytes(),
      isRead: true, as: Wire.keptNotifications)
  }

  /// Marks notifications read; answers those that were.
  package func markNotificationsRead(
    _ ids: [KeptNotificationID]
  ) async throws -> [KeptNotificationID] {
    try await call(
      "POST", "/_brume/notifications/read", query: place(), body: Wire.notificationIDs(ids),
      isRead: false, isRepeatable: true, as: Wire.notificationIDs)
  }

  /// Sets the number that pushes with a badge count up from.
  package func setBadge(_ value: Int) async throws {
    _ = try await call(
      "POST", "/_brume/notifications/badge", query: place(), body: Wire.badge(value), isRead: false,
      isRepeatable: true)
  }
}
