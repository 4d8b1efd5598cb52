// Which caller may address which database at all. What the caller may do with a record there is
// Sharing/Permissions.swift.

package import BrumeModel

extension Caller {
  /// The user, or the error that sends the client to sign in (case ACC-10).
  ///
  /// - Throws: `authenticationRequired`.
  package func requireUser() throws(BrumeError) -> UserID {
    guard let user else {
      throw BrumeError(
        .authenticationRequired,
        "request needs authorization: sign in and repeat it with a web auth token")
    }
    return user
  }

  /// Checks that this caller may address a database.
  ///
  /// - Throws: `authenticationFailed` for a server-to-server key, `authenticationRequired` without a user,
  ///   unless the database is public.
  package func requireAccess(to scope: DatabaseScope) throws(BrumeError) {
    switch scope {
    case .public: return
    case .private, .shared:
      if kind == .serverKey {
        throw BrumeError(
          .authenticationFailed,
          "a server-to-server key reaches the public database only, not the \(scope.rawValue) "
            + "one; use a user's web auth token there")
      }
      _ = try requireUser()
    }
  }

  /// Where the public or the caller's private data is. The shared database has no such key.
  ///
  /// - Throws: as `requireAccess`.
  package func databaseKey(_ scope: DatabaseScope) throws(BrumeError) -> DatabaseKey {
    try requireAccess(to: scope)
    return DatabaseKey(in: containerEnvironment, owner: scope == .public ? nil : try requireUser())
  }

  /// Where a change comes from, for the log.
  package func origin(at time: Milliseconds) -> Origin {
    Origin(user: user, device: device, requestID: requestID, time: time)
  }

  /// A user record's name, with the caller's own for `__defaultOwner__`: records show their creator
  /// by it, and apps fetch that creator.
  func naming(_ recordName: String) -> String {
    UserID.aliases.contains(recordName) ? user?.name ?? recordName : recordName
  }

  /// True for an owner name that means this caller.
  func isMe(_ ownerName: String?) -> Bool {
    guard let ownerName else { return true }
    return UserID.aliases.contains(ownerName) || ownerName == user?.name
  }
}

extension Host {
  /// Where a change comes from that no caller makes, for the log.
  func origin() -> Origin { Origin(user: nil, device: nil, requestID: uuid(), time: now()) }
}
