// records/resolve and records/accept: what a share's address leads to, and joining it (cases SHR-10,
// SHR-21, SHR-27, SHR-35). Who may neither see nor join a share learns nothing of it.

package import BrumeModel
import BrumeStorage

/// Looking at shares, joining them, asking to.
package struct Shares: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
  }

  /// Looks at shares without joining. The answer has one result per address, in order.
  ///
  /// - Throws: `limitExceeded` for too many addresses. One that leads nowhere fails alone.
  package func resolve(
    _ requests: [ShortGUIDRequest], as caller: Caller
  ) async throws -> [ShareResult] {
    let user = try userOfShares(requests.count, caller)
    return try await store.read { transaction in
      try requests.map { request in
        try ShareResult.item(request.value) {
          try AddressedShare(request, of: caller, from: transaction).metadata(
            for: user, transaction)
        }
      }
    }
  }

  /// Joins shares. Joining twice is joining once.
  ///
  /// - Throws: as `resolve`. Each share is a transaction of its own.
  package func accept(
    _ requests: [ShortGUIDRequest], as caller: Caller
  ) async throws -> [ShareResult] {
    let user = try userOfShares(requests.count, caller)
    let now = host.now()
    var (results, joined): ([ShareResult], Int?) = ([], nil)
    for request in requests {
      let (result, count) = try await accept(request, by: user, caller, now, joined: joined)
      results.append(result)
      joined = count
    }
    return results
  }

  /// - Parameter joined: how many shares the user takes part in, if an earlier one of the request has counted.
  /// - Returns: the same for the next one.
  private func accept(
    _ request: ShortGUIDRequest, by user: UserID, _ caller: Caller, _ now: Milliseconds,
    joined: Int?
  ) async throws -> (result: ShareResult, joined: Int?) {
    let (limits, participantID) = (limits, host.uuid())
    let found = try await store.read { transaction in
      try Result<RecordKey, ItemFailure<String>>.item(request.value) {
        try AddressedShare(request, of: caller, from: transaction).key
      }
    }
    guard case .success(let key) = found else {
      let failed: ShareResult = found.flatMap { _ in
        .failure(.init(request.value, .shareNotFound))
      }
      return (failed, joined)
    }
    let scope = WriteScope.database(key.zone.database).asked(by: caller.user)
    return try await store.writeIfWanted(in: scope) { transaction in
      var count = joined
      let result = try ShareResult.item(request.value) {
        let addressed = try AddressedShare(request, of: caller, from: transaction)
        let accepted = try addressed.accepted(
          by: user, id: participantID, limits: limits, transaction)
        if let accepted {
          count = try transaction.shares.joined(by: user, counted: joined, caller, limits) + 1
          try addressed.join(as: accepted, caller, now, in: transaction)
        }
        return try AddressedShare(request, of: caller, from: transaction).metadata(
          for: user, transaction)
      }
      return (result, count)
    }
  }

  private func userOfShares(_ count: Int, _ caller: Caller) throws(BrumeError) -> UserID {
    try caller.requireAccess(to: .shared)
    try limits.checkCount(count)
    return try caller.requireUser()
  }

  /// Asks the owners of shares for access.
  ///
  /// Addresses that lead nowhere, or to a share that takes no requests, are passed over in silence.
  ///
  /// - Throws: `limitExceeded` for too many addresses.
  package func requestAccess(
    _ requests: [ShortGUIDRequest], as caller: Caller
  ) async throws {
    try caller.requireAccess(to: .shared)
    try limits.checkCount(requests.count)
    let user = try caller.requireUser()
    let (limits, now) = (limits, host.now())
    for request in requests {
      let key = try await store.read { transaction in
        try AddressedShare.open(request, of: caller, from: transaction)?.key
      }
      guard let key else { continue }
      let scope = WriteScope.database(key.zone.database).asked(by: caller.user)
      try await store.writeIfWanted(in: scope) { transaction in
        guard let addressed = try AddressedShare.open(request, of: caller, from: transaction),
          let account = try transaction.users.find(user),
          let asked = AccessRules.asked(account.identity, of: addressed.share, limits)
        else { return }
        var record = addressed.record
        record.shareDetails = asked
        try addressed.rewrite(as: record, caller, now, in: transaction)
      }
    }
  }
}
