// What a change token says, for operators who were given one: whose it is, where it stands, and whether the
// server would still take it. `TokenRules` reads the token; this compares it with the store.

package import BrumeModel
import BrumeStorage

/// Opens the change tokens of users.
package struct TokenInspection: Sendable {
  private let store: any Store
  private let seal: Seal
  private let generation: Int64

  init(_ parts: EngineParts) {
    store = parts.store
    seal = parts.seal
    generation = parts.generation
  }

  /// - Throws: `badRequest` for a text that this server did not give out as a change token.
  package func contents(of text: String) async throws -> TokenContents {
    guard let bytes = seal.payload(of: text, for: .changeToken), let token = TokenRules.token(bytes)
    else {
      throw BrumeError(
        .badRequest,
        "the text is no change token of this server: copy all of it, and ask the server that gave it "
          + "out")
    }
    let generation = generation
    return try await store.read { transaction in
      var contents = TokenContents(token, generation: generation)
      contents.readerName = try transaction.users.find(token.reader)?.name
      try contents.compare(with: transaction)
      if token.generation != generation {
        contents.refusal = "the store was put back to an older copy since the token was made"
      }
      return contents
    }
  }
}

extension TokenContents {
  fileprivate mutating func compare(with transaction: any ReadTransaction) throws {
    switch token.subject {
    case .zone(let owner, let name, let incarnation, let view):
      try compare(owner, name, incarnation, view, transaction)
    case .database:
      newest = try transaction.sequences.last(
        in: DatabaseKey(in: token.containerEnvironment, owner: token.reader))
    case .shared, .notifications: break
    }
  }

  private mutating func compare(
    _ owner: String, _ name: String, _ incarnation: Int64, _ digest: UInt64,
    _ transaction: any ReadTransaction
  ) throws {
    let database = DatabaseKey(
      in: token.containerEnvironment, owner: token.scope == .public ? nil : UserID(owner))
    let key = ZoneKey(database: database, name: name)
    do {
      let view = try ZoneView(of: key, in: token.scope, for: token.caller, from: transaction)
      if view.zone.incarnation != incarnation {
        refusal = "the zone was deleted and made again since the token was made"
      } else if try view.digest() != digest {
        refusal = "the reader sees another part of the zone since the token was made"
      } else if TokenRules.missesDeletions(
        token, forgotten: try transaction.forgottenDeletions(in: key))
      {
        refusal = "deletions that came after the token were forgotten (--deletion-days)"
      } else {
        newest = view.zone.lastSequence
      }
    } catch let error as BrumeError {
      refusal = error.reason
    }
    guard newest != nil else { return }
    let seen = try transaction.changes.page(
      in: key, after: 0, through: token.sequence, limit: 1, newestFirst: true)
    if case .changed(let stored)? = seen.first, !stored.isUnreadable {
      seenUntil = try stored.record().modified?.time
    }
  }
}

extension ChangeToken {
  /// Its reader, as the rules see one.
  fileprivate var caller: Caller {
    Caller(
      in: containerEnvironment, user: reader, device: nil, kind: .user, requestID: "")
  }
}
