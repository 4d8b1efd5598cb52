// A subscription is stored that cannot be read: a bit has flipped where no checksum shows it, or a newer server has
// stored what this one does not know.

import BrumeCore
import BrumeModel
import BrumeNotifier
import BrumePostgres
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@testable import BrumeSQLite

@Suite(.timeLimit(.minutes(5))) struct UnreadSubscriptionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Those of a server that does not know everything.
  private static let older = StoreCoders(
    record: .wire, encodeSubscription: { Wire.encode($0) },
    decodeSubscription: { bytes in
      let subscription = try Wire.subscription(bytes)
      guard subscription.id == "newer" else { return subscription }
      throw BrumeError(.badRequest, "of a type that is not known")
    })

  private func server(onPostgres: Bool) async throws -> TestServer {
    try await TestServer(
      store: onPostgres
        ? PostgresStore.forTest(buckets: 4, coders: Self.older)
        : folder.openSQLite(coders: Self.older))
  }

  @Test(arguments: [false, true])
  func `a subscription that cannot be read does not fire, and others do, on PostgreSQL:`(
    onPostgres: Bool
  ) async throws {
    let server = try await server(onPostgres: onPostgres)
    for id in ["newer", "trails"] { try await subscribe(id, at: server) }
    try await save(at: server)
    let (served, serving) = AsyncStream.makeStream(of: String.self)
    let delivery = TestDelivery { new in
      for entry in new.entries { serving.yield(entry.entry.subscriptionID) }
    }
    let notifiers = Notifiers(of: server.store, most: 1, pause: { _ in }) { bucket in
      Notifier(
        of: bucket, engine: server.engine, store: server.store,
        host: .test(clock: server.clock, seed: 1), encode: PushPayload.encode, delivery: delivery)
    }
    let running = Task {
      defer { serving.finish() }
      try await notifiers.run()
    }
    var first: String?
    for await id in served {
      first = id
      break
    }
    running.cancel()
    #expect(first == "trails")
    _ = await running.result
    #expect((server.store.damagedRows?.reads ?? 0) > 0)
    try await server.store.close()
  }

  @Test(arguments: [false, true])
  func `one that cannot be read is an error for its ID and can be deleted, on PostgreSQL:`(
    onPostgres: Bool
  ) async throws {
    let server = try await server(onPostgres: onPostgres)
    for id in ["newer", "trails"] { try await subscribe(id, at: server) }
    let (subscriptions, phone) = (server.engine.subscriptions, try await server.device(of: "ann"))
    #expect(try await subscriptions.list(in: .public, as: phone).map(\.id) == ["trails"])
    let refusal = await #expect(throws: BrumeError.self) {
      _ = try await subscriptions.lookup(["newer"], in: .public, as: phone)
    }
    #expect(refusal?.code == .internalError)
    let results = try await subscriptions.modify([.delete(id: "newer")], in: .public, as: phone)
    _ = try #require(results.first).get()
    let after = try await subscriptions.lookup(["newer"], in: .public, as: phone)
    #expect(throws: ItemFailure<String>.self) { _ = try #require(after.first).get() }
    try await server.store.close()
  }

  private func subscribe(_ id: String, at server: TestServer) async throws {
    let phone = try await server.device(of: "ann")
    try await server.engine.devices.register(as: phone)
    var info = NotificationInfo()
    info.alert.literal = "new"
    let subscription = Subscription(
      id: id,
      kind: .query(Query(recordType: "Trail"), zone: nil, firesOn: [.create], firesOnce: false),
      info: info)
    // As the newer server stored it.
    try await server.store.write(in: .everything(of: server.store)) { [phone] transaction in
      let scope = SubscriptionScope(
        in: phone.containerEnvironment, scope: .public, user: try phone.requireUser())
      let database = scope.logDatabase
      let position = try transaction.log.append(
        .subscription(scope, id: id), in: database,
        origin: Origin(user: scope.user, device: nil, requestID: "R", time: 1))
      let starts = LogPositions(position, in: transaction.log.bucket(of: database))
      try transaction.subscriptions.put(
        StoredSubscription(scope: scope, subscription: subscription, starts: starts))
    }
  }

  /// Somebody else saves a record.
  private func save(at server: TestServer) async throws {
    let results = try await server.engine.records.modify(
      .init(
        zone: ZoneID(name: ZoneID.defaultName),
        operations: [.init(.create, RecordDraft(name: "a", type: "Trail"))]),
      in: .public, as: server.device("pad", of: "dave"))
    _ = try #require(results.first).get()
  }
}
