// Several processes with one store: who notifies for which bucket, and what becomes of one whose lease has
// passed on. Each process is a store object of its own.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct LeaseTests {
  @Test func `the first process has all buckets, and gives a fair share to the second`() throws {
    let database = try TestDatabase(buckets: 10)
    let (first, second) = (try database.leases("first"), try database.leases("second"))
    #expect(try first.round().owned.count == 10)
    #expect(try second.round().owned.isEmpty, "nothing has lapsed yet")
    #expect(try first.round().owned.count == 5, "two processes have half each")
    #expect(try second.round().owned.count == 5)
    #expect(try first.round().nodes == 2)
  }

  @Test func `what a process gives away at its end is taken at once`() throws {
    let database = try TestDatabase(buckets: 4)
    let (first, second) = (try database.leases("first"), try database.leases("second"))
    _ = try first.round()
    try first.end()
    let taken = try second.round()
    #expect(taken.owned.count == 4)
    #expect(taken.nodes == 1)
  }

  @Test func `a lease that nobody renews is taken, with a new epoch`() throws {
    let database = try TestDatabase(buckets: 2)
    let (first, second) = (try database.leases("first"), try database.leases("second"))
    let before = try first.round().owned
    try database.letLeasesLapse()
    let after = try second.round().owned
    #expect(after.count == 1, "two processes are there, so each has one")
    for (bucket, epoch) in after { #expect(epoch == (before[bucket] ?? 0) + 1) }
  }

  @Test func `whoever waits for a lease of another process looks when it lapses`() throws {
    let database = try TestDatabase(buckets: 2)
    let (first, second) = (try database.leases("first"), try database.leases("second"))
    #expect(try first.round().lapse == nil, "there is no other process")
    try database.letLeasesLast("1 hour")
    let lapse = try #require(try second.round().lapse)
    #expect((3_000_000...3_600_001).contains(lapse))
    let pauses = [nil, lapse, 700, 1].map { lapse in
      LeaseRound.Outcome(owned: [:], nodes: 2, lapse: lapse).pause
    }
    #expect(pauses == [2500, 2500, 700, 100])
  }

  @Test func `a round says how long leases last that it could not renew`() throws {
    let database = try TestDatabase(buckets: 2)
    let process = try database.leases("one")
    _ = try process.round()
    try database.letLeasesLast("1 hour")
    let notifier = try Connection.forTest(database.url)
    try notifier.simple("BEGIN; SELECT FROM notifiers WHERE bucket = 1 FOR UPDATE")
    let outcome = try process.round()
    #expect(outcome.owned.count == 2)
    let (renewed, locked) = (outcome.left[Bucket(0)], outcome.left[Bucket(1)])
    #expect(try #require(renewed) <= 10_000)
    #expect((10_001...3_600_000).contains(try #require(locked)))
  }

  @Test func `a process that ends has no bucket any more before another may take it`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    // By a clock that stands still no lease ends by itself.
    let store = try PostgresStore.forTest(url: url, milliseconds: { 0 })
    #expect(store.leases.owns(.only))
    // To be given away there; the process cannot know whether that has been done.
    let locking = try Connection.forTest(url)
    try locking.simple("SET idle_in_transaction_session_timeout = 0")
    try locking.simple("BEGIN; LOCK TABLE notifiers IN ACCESS EXCLUSIVE MODE")
    async let closing: Void = store.close()
    while store.leases.owns(.only) { await Task.yield() }
    try locking.simple("ROLLBACK")
    try await closing
  }

  @Test func `a process that keeps files elsewhere does not begin while another is there`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let first = try PostgresStore.forTest(url: url, filesIn: "folder 1")
    #expect(throws: StoreError.self) { try PostgresStore.forTest(url: url, filesIn: "folder 2") }
    for files in ["folder 1", nil] {
      let other = try PostgresStore.forTest(url: url, filesIn: files)
      #expect(other.leases.processes == 2, "the refused one is not counted")
      try await other.close()
    }
    try await first.close()
    try await PostgresStore.forTest(url: url, filesIn: "folder 2").close()
  }

  @Test func `a notifier whose lease has passed on writes nothing`() async throws {
    let database = try TestDatabase(buckets: 1)
    let store = try PostgresStore.forTest(url: database.url)
    let epoch = try #require(store.leases.epoch(of: .only))
    let write: @Sendable (Int) async throws -> Void = { value in
      try await store.writeRepeatable(in: .notifier(.only, epoch: epoch, notifying: [])) {
        try $0.settings.set(.notifierCursor(.only), to: [UInt8(value)])
      }
    }
    try await write(1)
    try database.passLeases(to: "other")
    await #expect { try await write(2) } throws: { ($0 as? StoreError)?.code == .notOwned }
    #expect(try await store.read { try $0.settings.value(.notifierCursor(.only)) } == [1])
    try await store.close()
  }

  @Test func `a commit of one process is a hint in the other`() async throws {
    let database = try TestDatabase(buckets: 4)
    let saver = try PostgresStore.forTest(url: database.url)
    let listener = try PostgresStore.forTest(url: database.url)
    let key = DatabaseKey.sample()
    let bucket = Bucket(of: key, among: 4)
    let hints = listener.commits()
    try await saver.write(in: .database(key)) {
      _ = try $0.log.append(.zoneCreated(.sample()), in: key, origin: .sample)
    }
    for await buckets in hints where buckets.contains(bucket) { break }
    try await saver.close()
    try await listener.close()
  }

  @Test func `an entry of a mailbox reaches the other process, after all before it`() async throws {
    let database = try TestDatabase(buckets: 4)
    let writer = try PostgresStore.forTest(url: database.url)
    let reader = try PostgresStore.forTest(url: database.url)
    let shared = try #require(reader.sharedMailboxes)
    let hints = shared.mailboxHints()
    let device = DeviceKey(
      in: ContainerEnvironment(.sample, .development), user: UserID("_a1"),
      device: DeviceID("phone"))
    for number in 1...3 {
      try await writer.write(in: .account(device)) {
        _ = try $0.mailboxes.enqueue(.sample("n\(number)"), to: device)
      }
    }
    var found: [String] = []
    var seen: Int64 = 0
    for await buckets in hints {
      for bucket in buckets {
        let new = try await shared.newEntries(in: bucket, after: seen, limit: 10)
        found += new.map(\.entry.notificationID)
        seen = new.last?.entry.position ?? seen
      }
      if found.count == 3 { break }
    }
    #expect(found == ["n1", "n2", "n3"])
    try await writer.close()
    try await reader.close()
  }
}

extension LeaseTests {
  @Test func `a process learns whose account another one changed, and not of its own changes`()
    async throws
  {
    let database = try TestDatabase(buckets: 2)
    let here = try PostgresStore.forTest(url: database.url)
    let there = try PostgresStore.forTest(url: database.url)
    let accounts = try #require(here.sharedAccounts)
    let hints = accounts.accountHints()
    for (store, user) in [(here, "_here"), (there, "_there")] {
      try await store.write(in: .server) {
        try $0.users.put(User(id: UserID(user), name: user, isDiscoverable: false))
      }
    }
    var users: Set<UserID> = []
    var seen: Int64 = 0
    for await _ in hints where users.isEmpty {
      let changes = try await accounts.changedAccounts(after: seen)
      (users, seen) = (changes.users ?? [], changes.last)
      if !users.isEmpty { break }
    }
    #expect(users == [UserID("_there")])
    try Connection.forTest(database.url).simple(
      "UPDATE buckets SET last = last + 10001 WHERE bucket = -1")
    let late = try await accounts.changedAccounts(after: seen)
    #expect(late.users == nil, "who has missed more than is kept may have missed anybody")
    #expect(late.last == seen + 10_001)
    try await here.close()
    try await there.close()
  }
}

extension LeaseTests {
  @Test func `a process that sleeps while it sends loses its locks`() async throws {
    let database = try TestDatabase(buckets: 1)
    let other = try PostgresStore.forTest(url: database.url)
    // PostgreSQL's own limit does not hold in the middle of what is sent.
    let sleeper = try Connection.forTest(database.url)
    for statement in [
      "SET application_name = 'brume sleeper.0'; SET idle_in_transaction_session_timeout = 0",
      "INSERT INTO nodes VALUES ('sleeper', now() - interval '7 seconds')",
      "BEGIN; UPDATE buckets SET last = last",
    ] {
      try sleeper.simple(statement)
    }
    let saver = Saver()
    await saver.save("meanwhile", in: other)
    #expect(saver.answer("meanwhile") == .saved(1))
    #expect(throws: ServerError.self) { try sleeper.simple("COMMIT") }
    try await other.close()
  }
}

// MARK: Support

/// An empty store in a schema of its own, seen from below.
private struct TestDatabase {
  let url: String
  private let connection: Connection
  private let buckets: Int

  init(buckets: Int) throws {
    url = try PostgresServer.shared.get().emptySchema()
    self.buckets = buckets
    connection = try Connection.forTest(url)
    try Migrations.run(on: connection, buckets: buckets)
  }

  func leases(_ name: String) throws -> Process {
    Process(connection: try Connection.forTest(url), name: name, buckets: buckets)
  }

  /// At once: between a lapse and a round of another process the store's own may renew.
  func passLeases(to name: String) throws {
    try connection.simple(
      "UPDATE notifiers SET owner = '\(name)', epoch = epoch + 1, until = now() + interval '1 hour'"
    )
  }

  /// As if ten seconds had passed.
  func letLeasesLapse() throws { try letLeasesLast("-1 second") }

  func letLeasesLast(_ interval: String) throws {
    try connection.simple("UPDATE notifiers SET until = now() + interval '\(interval)'")
  }

  struct Process {
    let connection: Connection
    let name: String
    let buckets: Int

    func round() throws -> LeaseRound.Outcome { try lease.run() }
    func end() throws { try lease.end() }

    private var lease: LeaseRound { LeaseRound(connection, name, bucketCount: buckets) }
  }
}

extension MailboxEntry {
  fileprivate static func sample(_ id: String) -> MailboxEntry {
    MailboxEntry(
      position: 0, notificationID: id, subscriptionID: "s", collapseID: nil, payload: [1], time: 0,
      requestID: "R1")
  }
}
