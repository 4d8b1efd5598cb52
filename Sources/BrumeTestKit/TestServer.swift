// The rules on a memory store, with a clock that stands still until moved, identifiers that repeat
// from run to run, users by name, and one caller per device.

package import BrumeCore
package import BrumeModel
package import BrumeStorage
import Synchronization

/// One server for one test, without HTTP.
package final class TestServer: Sendable {
  package let engine: Engine
  package let store: any Store
  package let assets = MemoryAssetStore()
  package let clock: ManualClock
  package static let container = ContainerID("iCloud.org.example.trailbook")

  /// - Parameter coders: the form in which records are kept; the wire's own in the product.
  /// - Throws: what the store throws.
  package convenience init(
    coders: StoreCoders, limits: Limits = .apple, seed: UInt64 = 1
  ) async throws {
    let store = MemoryStore(coders: coders, runsTwice: true)
    try await self.init(store: store, limits: limits, seed: seed)
  }

  /// - Throws: what the store throws.
  package init(
    store: any Store, limits: Limits = .apple, seed: UInt64 = 1,
    now: Milliseconds = ManualClock.start
  ) async throws {
    clock = ManualClock(now)
    self.store = store
    engine = try await Engine(
      store: store, assets: assets, limits: limits, host: .test(clock: clock, seed: seed))
  }

  /// The user of a name, made on first use with an address at example.org.
  ///
  /// - Throws: what the store throws.
  package func user(_ name: String) async throws -> User {
    if let user = try await engine.accounts.user(named: name) { return user }
    return try await engine.accounts.create(
      name: name, emailAddress: "\(name)@example.org", givenName: name.capitalizedFirst)
  }

  /// A device of a user, as the rules see it when it calls.
  ///
  /// - Throws: what the store throws.
  package func device(
    _ device: String = "phone", of user: String, environment: Environment = .development
  ) async throws -> Caller {
    Caller(
      in: ContainerEnvironment(Self.container, environment), user: try await self.user(user).id,
      device: DeviceID(device), kind: .user, requestID: "\(user)-\(device)")
  }

  /// Somebody with an API token only.
  package func anonymous() -> Caller {
    Caller(
      in: ContainerEnvironment(Self.container, .development), user: nil, device: nil,
      kind: .anonymous, requestID: "anonymous")
  }
}

/// A clock that tests move.
package final class ManualClock: Sendable {
  private let time: Mutex<Milliseconds>

  /// 2026-11-20 at 12:00 UTC.
  package static let start: Milliseconds = 1_795_176_000_000

  package init(_ start: Milliseconds = start) { time = Mutex(start) }

  package var now: Milliseconds { time.withLock { $0 } }
  /// Moves the clock on.
  package func advance(by milliseconds: Milliseconds) { time.withLock { $0 += milliseconds } }
}

extension Host {
  /// Time from `clock`, identity and chance from `seed`.
  package static func test(clock: ManualClock, seed: UInt64) -> Host {
    let chance = SharedChance(seed: seed)
    return Host(
      now: { clock.now }, uuid: { chance.uuid() }, randomBytes: { chance.bytes($0) })
  }
}

/// One seeded source for many callers.
private final class SharedChance: Sendable {
  private let random: Mutex<SeededRandom>

  init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

  func bytes(_ count: Int) -> [UInt8] {
    random.withLock { random in
      (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
    }
  }

  func uuid() -> String {
    let text = Array(Hex.text(bytes(16)).uppercased())
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
    return groups.map { String(text[$0]) }.joined(separator: "-")
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
