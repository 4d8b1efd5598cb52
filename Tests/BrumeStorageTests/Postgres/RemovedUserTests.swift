// A user is deleted at one process while another one is about to commit what the user had asked for.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Dispatch
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct RemovedUserTests {
  private static let zone = ZoneID(name: "Trails")

  @Test func `a share that a user was accepting when deleted is left again`() async throws {
    // Its own, because all of its sessions are looked at.
    try await PostgresServer.with { server in
      let url = try server.emptySchema()
      let store = HeldCommits(try PostgresStore.forTest(buckets: 16, url: url))
      let one = try await TestServer(store: store)
      let other = try await TestServer(
        store: try PostgresStore.forTest(buckets: 16, url: url), seed: 2)
      let alice = try await one.device(of: "alice")
      let address = try await Self.share(on: one, as: alice)
      let bob = try await Self.session(of: "bob", on: one)
      store.isHolding.value = true
      async let accepted = one.engine.shares.accept([.init(value: address)], as: bob)
      for await _ in store.held { break }
      let isRemoved = Mutexed(false)
      async let removed: Void = Self.remove("bob", on: other, isRemoved)
      defer { store.letGo() }
      let asking = try Connection.forTest(url)
      while !isRemoved.value, try !Self.isAnybodyWaiting(asking) { await Task.yield() }
      store.letGo()
      // Where this took long, PostgreSQL has ended the session, and the next attempt is refused.
      _ = try? await accepted
      try await removed
      let user = try #require(bob.user)
      let participant = try await Self.found(on: other, as: alice).shareDetails?.participant(user)
      #expect(participant?.acceptance != .accepted)
      let memberships = try await other.store.read {
        try $0.shares.memberships(of: user, in: bob.containerEnvironment)
      }
      #expect(memberships.isEmpty)
      try await one.store.close()
      try await other.store.close()
    }
  }

  /// In the order in which saves and pushes lock, who would wait for each other else.
  @Test func `what waits for saves locks those of all buckets, and then the accounts`() {
    let locks = Locks.all(
      of: .everythingBetweenSaves(of: MemoryStore(coders: .wireForm)), among: 1)
    let expected: [Locks.Lock] = [
      Locks.server, .init(kind: .saves, bucket: Bucket.only),
      .init(kind: .mailboxes, bucket: Bucket.only),
    ]
    #expect(locks == expected)
  }

  @Test func `buckets are locked in ascending order, each once`() {
    let scope = (0..<1000).reduce(WriteScope.server) {
      $0.and(.database(.sample(owner: "_u\($1)")))
    }
    let buckets = Locks.all(of: scope, among: 256).map(\.bucket)
    #expect(buckets == buckets.sorted() && Set(buckets).count == buckets.count)
  }

  /// Answers the address of a share that everybody may join.
  private static func share(on server: TestServer, as alice: Caller) async throws -> String {
    _ = try await server.engine.zones.modify([.init(.create, zone)], in: .private, as: alice)
    var share = RecordDraft(name: "s1", type: Record.shareType, shareRoot: ("root", nil))
    share.publicPermission = .readOnly
    let drafts = [share, RecordDraft(name: "root", type: "Hike")]
    let results = try await server.engine.records.modify(
      .init(zone: zone, operations: drafts.map { .init(.create, $0) }), in: .private, as: alice)
    for result in results { _ = try result.get() }
    return try #require(try await found(on: server, as: alice).shortGUID)
  }

  private static func found(on server: TestServer, as alice: Caller) async throws -> Record {
    let results = try await server.engine.records.lookup(
      .init(zone: zone, items: [.init(name: "s1")]), in: .private, as: alice)
    guard case .saved(let stored) = try #require(results.first).get() else {
      throw StoreError(.corrupt, "the share is gone")
    }
    return try stored.record()
  }

  private static func session(of name: String, on server: TestServer) async throws -> Caller {
    let user = try await server.user(name)
    return Caller(
      in: ContainerEnvironment(TestServer.container, .development), user: user.id, device: nil,
      kind: .user, epoch: user.tokenEpoch, requestID: name)
  }

  private static func remove(
    _ name: String, on server: TestServer, _ isRemoved: Mutexed<Bool>
  ) async throws {
    defer { isRemoved.value = true }
    _ = try await server.engine.userRemovals.remove(name)
  }

  /// Whether a writing session waits for another one.
  private static func isAnybodyWaiting(_ connection: Connection) throws -> Bool {
    try connection.send(waiting)
    return try connection.exchange()[0].count > 0
  }

  private static let waiting = SQL(
    """
    SELECT 1::bigint FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND starts_with(application_name, '\(WriterRow.application)')
    """)
}

/// A store whose writes, once their bodies have run, do not commit before they are let go.
private final class HeldCommits: WrappingStore {
  let inner: any Store
  let isHolding = Mutexed(false)
  /// One for each body that was held.
  let held: AsyncStream<Void>
  private let holding: AsyncStream<Void>.Continuation
  private let gate = DispatchSemaphore(value: 0)

  init(_ inner: any Store) {
    self.inner = inner
    (held, holding) = AsyncStream.makeStream()
  }

  func letGo() { gate.signal() }

  @discardableResult
  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    let isHeld = isHolding.value
    return try await inner.write(in: scope, reading: plan) { [holding, gate] transaction in
      let value = try body(transaction)
      guard isHeld else { return value }
      holding.yield()
      gate.wait()
      gate.signal()
      return value
    }
  }
}
