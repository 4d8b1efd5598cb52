// A page that one bucket's notifier reads is damaged: its pushes wait, and nobody else's.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

@Suite(.timeLimit(.minutes(5))) struct DamagedBucketTests {
  private static let buckets = 4

  @Test func `a bucket on a damaged page is tried again, later each time, and the others go on`()
    async throws
  {
    let users = (0..<50).map { UserID("_u\($0)") }
    let bucket = { (user: UserID) in Bucket(of: database(user), among: Self.buckets) }
    let unlucky = users[0]
    let lucky = try #require(users.first { bucket($0) != bucket(unlucky) })
    let store = DamagedStore(bucket(unlucky), buckets: Self.buckets)
    let clock = HandClock()
    let engine = try await Engine(store: store, limits: Limits(), host: clock.host)
    for user in [unlucky, lucky] { try await Self.prepare(user, engine, store) }
    let (served, serving) = AsyncStream.makeStream(of: UserID.self)
    let delivery = TestDelivery { new in
      for entry in new.entries { serving.yield(entry.device.user) }
    }
    let pauses = Mutexed<[Duration]>([])
    let waiting = Mutexed<[String]>([])
    let notifiers = Notifiers(
      of: store, most: 1,
      pause: { rest in
        pauses.change { $0.append(rest) }
        waiting.change { $0 += store.damagedRows?.waiting ?? [] }
      }
    ) { bucket in
      Notifier(
        of: bucket, engine: engine, store: store, host: clock.host, encode: PushPayload.encode,
        delivery: delivery)
    }
    let running = Task { try await notifiers.run() }
    var order: [UserID] = []
    for await user in served {
      order.append(user)
      if order.count == 2 { break }
    }
    running.cancel()
    #expect(order == [lucky, unlucky])
    #expect(pauses.value == [.seconds(1), .seconds(2)])
    #expect(store.damagedRows?.reads == 2)
    #expect(waiting.value == Array(repeating: "the pushes of bucket \(bucket(unlucky))", count: 2))
  }

  /// A device, a subscription, and a change that it fires for.
  private static func prepare(
    _ user: UserID, _ engine: Engine, _ store: any Store
  ) async throws {
    let caller = Caller(
      in: development, user: user, device: DeviceID("phone"), kind: .user, requestID: "request")
    try await engine.devices.register(as: caller)
    let subscription = Subscription(id: "all", kind: .database(recordType: nil), info: silent())
    _ = try await engine.subscriptions.modify([.save(subscription)], in: .private, as: caller)
    let notes = zone("Notes", of: user)
    try await store.write(in: .database(notes.database)) {
      _ = try $0.log.append(.zoneCreated(notes), in: notes.database, origin: origin())
    }
  }
}

/// A store in which the log of one bucket cannot be read in two attempts, each of three reads.
private final class DamagedStore: WrappingStore {
  let inner: any Store
  let damagedRows: DamagedRows? = DamagedRows()
  private let bucket: Bucket
  private let failures = Mutexed(6)

  init(_ bucket: Bucket, buckets: Int) {
    self.bucket = bucket
    inner = MemoryStore(coders: .wireForms, buckets: buckets)
  }

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    if plan.reads.contains(where: isDamaged), failures.value > 0 {
      failures.change { $0 -= 1 }
      throw StoreError(.corrupt, "invalid page in block 0")
    }
    return try await inner.read(plan, body)
  }

  private func isDamaged(_ read: ReadPlan.Read) -> Bool {
    if case .log(bucket, _) = read { true } else { false }
  }
}
