// What users and devices notice of a move: everything is there, tokens of before are expired, and no push is lost.

import BrumeCore
import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@Suite struct MovedServerTests {
  /// A server on some store, with a user's two devices.
  private struct Run {
    let server: TestServer
    let phone: Caller
    let pad: Caller

    init(_ store: any Store) async throws {
      server = try await TestServer(store: store)
      phone = try await server.device("phone", of: "alice")
      pad = try await server.device("pad", of: "alice")
    }

    func begin() async throws {
      _ = try await server.engine.devices.register(as: pad)
      _ = try await server.engine.zones.modify(
        [.init(.create, ZoneID(name: "Trails"))], in: .private, as: phone)
      try await save("before")
      let subscription = Subscription(
        id: "notes", kind: .zone(ZoneID(name: "Trails"), recordType: nil), info: Self.alert)
      _ = try await server.engine.subscriptions.modify(
        [.save(subscription)], in: .private, as: phone)
    }

    private static let alert: NotificationInfo = {
      var info = NotificationInfo()
      info.alert.literal = "new"
      return info
    }()

    func save(_ name: String) async throws {
      let results = try await server.engine.records.modify(
        .init(
          zone: ZoneID(name: "Trails"),
          operations: [.init(.create, RecordDraft(name: name, type: "Trail"))]),
        in: .private, as: phone)
      guard case .saved? = try results.first?.get() else { throw Interruption() }
    }

    /// Serves the logs of all buckets, as the services of a server do.
    func notify() async throws {
      for number in 0..<server.store.bucketCount {
        let notifier = Notifier(
          of: Bucket(number), engine: server.engine, store: server.store,
          host: .test(clock: server.clock, seed: 1), encode: PushPayload.encode,
          delivery: TestDelivery())
        try await notifier.drain()
      }
    }

    /// How many pushes wait for the pad.
    func waiting() async throws -> Int {
      let device = DeviceKey(
        in: pad.containerEnvironment, user: try pad.requireUser(), device: DeviceID("pad"))
      return try await server.store.read { try $0.mailboxes.count(of: device) }
    }

    func changes(since token: String?) async throws -> ZoneChangesResult {
      try await server.changes(since: token, as: phone)
    }

    func names() async throws -> [String] { try await server.names(as: phone) }
  }

  @Test func `after a move all is there, tokens are expired, and pushes go on there and back`()
    async throws
  {
    let mover = try Mover(buckets: 16)
    var token = ""
    try await mover.withSQLite { store in
      let run = try await Run(store)
      try await run.begin()
      try await run.save("served")
      try await run.notify()
      try await run.save("unserved")
      token = try await run.changes(since: nil).get().token
      #expect(try await run.waiting() == 1)
    }
    try mover.toPostgres()
    try await mover.withPostgres { store in
      try await Self.goOn(try await Run(store), token, "in PostgreSQL", waiting: 1)
      token = try await Run(store).changes(since: nil).get().token
    }
    try mover.toSQLite()
    try await Mover.with(mover.back) { store in
      try await Self.goOn(try await Run(store), token, "in SQLite", waiting: 3)
    }
  }

  /// - Parameter waiting: how many pushes waited before the move; one more is in the log.
  private static func goOn(
    _ run: Run, _ token: String, _ name: String, waiting: Int
  ) async throws {
    let before = try await run.names()
    #expect(before.prefix(3) == ["before", "served", "unserved"])
    guard case .failure(let failure) = try await run.changes(since: token) else {
      Issue.record("a token of before the move is taken")
      return
    }
    #expect(failure.error.code == .changeTokenExpired)
    #expect(try await run.waiting() == waiting)
    try await run.notify()
    // What came before the subscription says nothing.
    #expect(try await run.waiting() == waiting + 1)
    try await run.save(name)
    try await run.notify()
    #expect(try await run.waiting() == waiting + 2)
    #expect(try await run.names() == before + [name])
    // For the next move.
    try await run.save("unserved after \(name)")
  }
}
