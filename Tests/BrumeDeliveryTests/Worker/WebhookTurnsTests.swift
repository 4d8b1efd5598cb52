// A webhook gets the changes of all buckets, also while somebody saves in one of them without a pause.

import BrumeCore
import BrumeModel
import BrumePush
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@testable import BrumeDelivery

@Suite struct WebhookTurnsTests {
  private let store = MemoryStore(coders: .wireForms, buckets: 3)
  private let place = DeliveryWorkerFixture.containerEnvironment

  /// A database in a bucket.
  private func database(in bucket: Int) throws -> DatabaseKey {
    let all = (0..<1000).lazy.map { DatabaseKey(in: place, owner: UserID("_\($0)")) }
    return try #require(all.first { Bucket(of: $0, among: store.bucketCount).number == bucket })
  }

  private static func change(
    _ name: String, in database: DatabaseKey, _ store: MemoryStore
  ) async throws {
    let key = RecordKey(zone: ZoneKey(database: database, name: "Notes"), name: name)
    let change = RecordChange(record: key, recordType: "Note", kind: .updated, image: nil)
    let origin = Origin(user: database.owner, device: nil, requestID: "R", time: 1)
    try await store.write(in: .database(database)) {
      _ = try $0.log.append(.record(change), in: database, origin: origin)
    }
  }

  @Test func `a bucket in which somebody saves all the time keeps the others' changes from nobody`()
    async throws
  {
    let (store, clock, names) = (store, ManualClock(), Mutexed<[String]>([]))
    let (busy, quiet, last) = (
      try database(in: 0), try database(in: 1), try database(in: 2)
    )
    let host = Host(now: { 1 }, uuid: { "UUID" }, randomBytes: { Array(repeating: 7, count: $0) })
    let engine = try await Engine(store: store, limits: Limits(), host: host)
    let channel = WebhookChannel(
      concurrency: 1, outside: OutsideGuard(allowed: []) { _ in [.v4(0x0808_0808)] },
      exchange: { call in
        let changes = try JSON(parsing: call.body)["changes"]?.array ?? []
        names.change { $0 += changes.compactMap { $0["recordName"]?.string } }
        // Before the call has ended there is more.
        try await Self.change("busy", in: busy, store)
        return OutsideReply(status: 200)
      })
    let worker = DeliveryWorker(
      engine: engine, store: store, channels: [], webhooks: channel, clock: clock.push,
      chance: { 1 })
    let hook = try await engine.webhooks.add(url: "https://hook.example/in", in: place)
    for (name, database) in [("busy", busy), ("quiet", quiet), ("last", last)] {
      try await Self.change(name, in: database, store)
    }
    for _ in 0..<3 { #expect(try await worker.callNext(webhook: hook.id, 1) == .delivered) }
    #expect(names.value == ["busy", "quiet", "last"])
  }
}
