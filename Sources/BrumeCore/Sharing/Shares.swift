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
  /// - Throws: `limitExceeded` for too many addresses. One that leads nowhere, or to a share for which the answer has no
  ///   room, fails alone.
  package func resolve(
    _ requests: [ShortGUIDRequest], as caller: Caller
  ) async throws -> [ShareResult] {
    let user = try userOfShares(requests.count, caller)
    let answers = ShareAnswers(limits)
    return try await store.read { transaction in
      var answers = answers
      return try requests.map { request in
        try Task.checkCancellation()
        if let known = try answers.known(request) { return known }
        let result = try ShareResult.item(request.value) {
          let addressed = try AddressedShare(request, of: caller, from: transaction)
          let metadata = try addressed.metadata(
            for: user, root: addressed.root(transaction), transaction)
          try answers.take(metadata.share, metadata.rootRecord, request)
          return metadata
        }
        answers.note(result, of: request)
        return result
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
    var results: [ShareResult] = []
    var soFar = Accepted(answers: ShareAnswers(limits))
    for request in requests {
      if let known = try soFar.answers.known(request) {
        results.append(known)
        continue
      }
      let answer = try await accept(request, by: user, caller, now, after: soFar)
      soFar = answer.soFar
      soFar.answers.note(answer.result, of: request)
      results.append(answer.result)
    }
    return results
  }

  /// What earlier shares of the same request have found.
  private struct Accepted {
    var answers: ShareAnswers
    /// How many shares the user takes part in, if that was counted.
    var joined: Int?
  }

  private func accept(
    _ request: ShortGUIDRequest, by user: UserID, _ caller: Caller, _ now: Milliseconds,
    after soFar: Accepted
  ) async throws -> (result: ShareResult, soFar: Accepted) {
    let participantID = host.uuid()
    let found = try await store.read { transaction in
      try Result<RecordKey, ItemFailure<String>>.item(request.value) {
        try AddressedShare(request, of: caller, from: transaction).key
      }
    }
    switch found {
    case .failure(let failure): return (.failure(failure), soFar)
    case .success(let key):
      do {
        return try await join(key, request, by: user, caller, now, participantID, after: soFar)
      } catch let unfinished as UnfinishedWrite {
        return (.failure(.init(request.value, unfinished.error)), soFar)
      }
    }
  }

  /// - Throws: `UnfinishedWrite` for what fails when something is written already; nothing is written then.
  private func join(
    _ key: RecordKey, _ request: ShortGUIDRequest, by user: UserID, _ caller: Caller,
    _ now: Milliseconds, _ participantID: String, after soFar: Accepted
  ) async throws -> (result: ShareResult, soFar: Accepted) {
    let limits = limits
    let scope = WriteScope.database(key.zone.database).asked(by: caller.user)
    return try await store.write(for: caller, in: scope) { transaction in
      var soFar = soFar
      let result = try ShareResult.item(request.value) {
        let addressed = try AddressedShare(request, of: caller, from: transaction)
        let accepted = try addressed.accepted(
          by: user, id: participantID, limits: limits, transaction)
        let root = try addressed.root(transaction)
        // Before it is joined: whoever gets no answer asks again.
        try soFar.answers.take(addressed.record, root, request)
        if accepted != nil {
          soFar.joined =
            try transaction.shares.joined(by: user, counted: soFar.joined, caller, limits) + 1
        }
        return try UnfinishedWrite.whole(in: key.zone) {
          if let accepted { try addressed.join(as: accepted, caller, now, in: transaction) }
          return try AddressedShare(request, of: caller, from: transaction).metadata(
            for: user, root: root, transaction)
        }
      }
      return (result, soFar)
    }
  }

  private func userOfShares(_ count: Int, _ caller: Caller) throws(BrumeError) -> UserID {
    try caller.requireAccess(to: .shared)
    try limits.checkCount(count, of: "shares")
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
    let user = try userOfShares(requests.count, caller)
    let (limits, now) = (limits, host.now())
    for request in requests {
      let key = try await store.read { transaction in
        try AddressedShare.open(request, of: caller, from: transaction)?.key
      }
      guard let key else { continue }
      let scope = WriteScope.database(key.zone.database).asked(by: caller.user)
      try await store.write(for: caller, in: scope) { transaction in
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
