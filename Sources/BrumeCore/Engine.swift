// The only entry point to the rules. Every operation is one function of this class; each is in its
// feature's folder as an extension, so that this file holds only what they share:
//
//   Records/   modifyRecords lookupRecords          Changes/  databaseChanges zoneChanges
//   Zones/     listZones lookupZones modifyZones    Queries/  query
//   Sharing/   resolveShares acceptShares           Schema/   schema setIndex importSchema
//   Assets/    uploadTickets receiveUpload rereference openAsset sweepAssets checkAssets
//   Users/     currentUser createUser discover      Auth/     authenticate webAuthToken createAPIToken
//   Subscriptions/, Notifications/, Users/Devices   subscriptions, kept notifications, devices
//
// Rule failures are thrown as `BrumeError`; a failure of one item of a batch is in the answer.

package import BrumeModel
package import BrumeStorage
import Crypto

package final class Engine: Sendable {
  package let store: any Store
  let assets: any AssetStore
  package let limits: Limits
  package let host: Host
  /// The server runs for a developer: ready-made accounts may exist. The schema's strictness is
  /// not decided by this but by the environment a request names.
  package let isDevelopment: Bool
  let seal: Seal
  /// Which generation of which store this is: part of every change token and of every position in a
  /// stream. A store that was copied back raises it, which expires what earlier runs issued.
  package let generation: Int64
  let schemas = SchemaCache()
  /// Who may read what, as it is asked when notifications are made and delivered.
  package var permission: ReadPermission { ReadPermission(schemas: schemas, limits: limits) }
  let knownCredentials = KnownCredentials()

  /// Opens the rules on a store. The first start makes the secret that seals tokens.
  package init(
    store: any Store, assets: any AssetStore = MemoryAssetStore(), limits: Limits, host: Host,
    isDevelopment: Bool
  ) async throws {
    let fresh = host.randomBytes(32)
    let now = host.now()
    let (secret, generation) = try await store.write(in: .server) { transaction in
      (
        try Self.secret(in: transaction, orElse: fresh),
        try Self.generation(in: transaction, orElse: max(1, now))
      )
    }
    self.store = store
    self.assets = assets
    self.limits = limits
    self.host = host
    self.isDevelopment = isDevelopment
    self.seal = Seal(secret: secret)
    self.generation = generation
  }

  private static func secret(
    in transaction: any WriteTransaction, orElse fresh: [UInt8]
  ) throws -> [UInt8] {
    if let stored = try transaction.setting(.secret), stored.count >= 32 { return stored }
    try transaction.set(.secret, to: fresh)
    return fresh
  }

  /// A new store takes the time of its creation, so that two stores of one machine never look alike.
  private static func generation(
    in transaction: any WriteTransaction, orElse fresh: Int64
  ) throws -> Int64 {
    let stored = try transaction.setting(.generation).flatMap {
      Int64(String(decoding: $0, as: UTF8.self))
    }
    let wasCopiedBack = try transaction.setting(.copiedBack) != nil
    if let stored, !wasCopiedBack { return stored }
    // By the clock, because two runs may begin with the same copy.
    let generation = max(fresh, (stored ?? 0) + 1)
    try transaction.set(.generation, to: Array(String(generation).utf8))
    if wasCopiedBack {
      try transaction.raiseSequences(above: generation << Self.sequencesPerMillisecond)
      try transaction.set(.copiedBack, to: nil)
    }
    return generation
  }

  /// Ours, as a power of two: more than any database gives, so that a run that begins later begins
  /// above all sequences, and so above all change tags, of the runs before it.
  private static let sequencesPerMillisecond: Int64 = 10
}
