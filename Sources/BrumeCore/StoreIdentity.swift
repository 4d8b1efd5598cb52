// What a store keeps about itself: the secret that seals tokens, and which generation it is.

import BrumeModel
package import BrumeStorage
import Crypto

struct StoreIdentity: Sendable {
  let secret: [UInt8]
  let generation: Int64
  /// Why this start raised the generation; nil: it did not.
  let raisedBecause: String?

  static func open(in store: any Store, host: Host) async throws -> StoreIdentity {
    if let known = try await store.read({ try known(in: $0) }) { return known }
    let fresh = host.randomBytes(32)
    let now = host.now()
    return try await store.write(in: .server) { transaction in
      let reason = try transaction.settings.value(.copiedBack)
      return StoreIdentity(
        secret: try secret(in: transaction, orElse: fresh),
        generation: try generation(
          in: transaction, orElse: max(1, now), wasCopiedBack: reason != nil),
        raisedBecause: reason.map { String(decoding: $0, as: UTF8.self) })
    }
  }

  /// Nil: there is something to be written, which needs room. Without that a store starts also on a full disk.
  private static func known(in transaction: any ReadTransaction) throws -> StoreIdentity? {
    let settings = transaction.settings
    guard let secret = try settings.value(.secret), isWhole(secret),
      let generation = try settings.number(.generation), try settings.value(.copiedBack) == nil
    else { return nil }
    return StoreIdentity(secret: secret, generation: generation, raisedBecause: nil)
  }

  private static func isWhole(_ secret: [UInt8]) -> Bool { secret.count >= 32 }

  private static func secret(
    in transaction: any WriteTransaction, orElse fresh: [UInt8]
  ) throws -> [UInt8] {
    if let stored = try transaction.settings.value(.secret), isWhole(stored) { return stored }
    try transaction.settings.set(.secret, to: fresh)
    return fresh
  }

  /// A new store takes the time of its creation, so that two stores of one machine never look alike.
  private static func generation(
    in transaction: any WriteTransaction, orElse fresh: Int64, wasCopiedBack: Bool
  ) throws -> Int64 {
    let stored = try transaction.settings.number(.generation)
    if let stored, !wasCopiedBack { return stored }
    // By the clock, because two runs may begin with the same copy.
    let generation = max(fresh, (stored ?? 0) + 1)
    try transaction.settings.set(.generation, toNumber: generation)
    if wasCopiedBack {
      try transaction.sequences.raise(above: generation << Self.sequencesPerMillisecond)
      try transaction.settings.set(.copiedBack, to: nil)
    }
    return generation
  }

  /// Ours, as a power of two: more than any database gives, so that a run that begins later begins
  /// above all sequences, and so above all change tags, of the runs before it.
  private static let sequencesPerMillisecond: Int64 = 10
}

extension ReadTransaction {
  /// Which store it is, in 16 digits: the same for all servers of one, and in copies of it. It says nothing of what is sealed.
  /// Nil before the first start. PostgreSQL makes the same of it (`PostgresCheckup.storeID`).
  ///
  /// - Throws: what the transaction throws.
  package func storeID() throws -> String? {
    guard let secret = try settings.value(.secret) else { return nil }
    return Hex.text(Array(SHA256.hash(data: Array("brume-store-id".utf8) + secret)).prefix(8))
  }
}
