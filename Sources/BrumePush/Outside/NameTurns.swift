// Whose lookups run, and whose wait. The names under one domain are answered by the name servers that its owner chose: when
// they answer nothing, each lookup keeps a thread for many seconds, and with them all the lookups of everybody else would
// wait. One user may name many such domains, and many users together more than there are threads: so domains that have not
// answered do not get all of them.

import Synchronization

/// Gives the names of one domain turns, a few at a time.
package final class NameTurns: Sendable {
  /// Ours: lookups at once of the names under one domain. `OutsideGuard` gives one user as many.
  package static let perDomain = 4
  /// Ours: lookups at once under all domains together of which none has answered when it was asked last. The threads
  /// that are left over are for those that have.
  package static let ofUnknown = 12
  /// Ours: domains of which is remembered that they answered.
  private static let remembered = 1000

  private let turns = Turns(perName: perDomain)
  private let unknown = Turns(perName: ofUnknown)
  private let answered = Mutex<Set<String>>([])

  package init() {}

  /// How many lookups wait.
  package var waiting: Int { turns.waiting + unknown.waiting }

  /// Looks a name up when it is its domain's turn.
  ///
  /// - Throws: what `lookUp` throws; `CancellationError`.
  package func take<Value>(
    _ name: String, _ lookUp: () async throws -> Value
  ) async throws -> Value {
    let domain = Self.domain(of: name)
    return try await turns.take(domain) {
      if answered.withLock({ $0.contains(domain) }) { return try await ask(domain, lookUp) }
      return try await unknown.take("") { try await ask(domain, lookUp) }
    }
  }

  /// Remembers whether the domain answered.
  private func ask<Value>(
    _ domain: String, _ lookUp: () async throws -> Value
  ) async throws -> Value {
    do {
      let value = try await lookUp()
      note(answerOf: domain)
      return value
    } catch {
      if !(error is CancellationError) { answered.withLock { _ = $0.remove(domain) } }
      throw error
    }
  }

  private func note(answerOf domain: String) {
    answered.withLock { answered in
      guard !answered.contains(domain) else { return }
      // Whichever is forgotten is known again when it has answered once more.
      if answered.count >= Self.remembered { answered.removeFirst() }
      answered.insert(domain)
    }
  }

  /// The last two labels: where whole countries share such, their names take turns together.
  static func domain(of name: String) -> String {
    name.split(separator: ".").suffix(2).joined(separator: ".").lowercased()
  }
}
