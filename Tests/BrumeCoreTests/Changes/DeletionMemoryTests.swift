// Forgetting deletions that are older than a stated age, and what change tokens from before say then.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore

struct DeletionMemoryTests {
  private static let day: Milliseconds = 86_400_000

  /// A server that remembers deletions for eight days; marks are a day apart.
  private func prepared(lifetime: Milliseconds? = 8 * day) async throws -> EngineFixture {
    var limits = Limits.apple
    limits.deletionLifetime = lifetime
    limits.deletionRows = 2
    let fixture = try await EngineFixture(limits: limits)
    _ = try await fixture.modify((0..<5).map { .create("h\($0)") })
    return fixture
  }

  /// What a server does each hour, for so many days.
  private func pass(_ days: Int, in fixture: EngineFixture) async throws -> DeletionReport {
    var report = DeletionReport()
    for _ in 0..<days {
      report += try await fixture.engine.deletionMemory.sweep()
      fixture.server.clock.advance(by: Self.day)
    }
    return report
  }

  private func remembered(_ fixture: EngineFixture) async throws -> [String] {
    let request = ZoneChangesRequest(zone: EngineFixture.trails, withDeletions: true)
    let results = try await fixture.engine.changes.ofZones(
      [request], in: .private, as: fixture.phone)
    return try #require(results.first).get().summary.filter { $0.hasPrefix("-") }
  }

  @Test func `without a lifetime nothing is ever forgotten, and tokens do not grow old`()
    async throws
  {
    let fixture = try await prepared(lifetime: nil)
    let token = try await fixture.changes().token
    _ = try await fixture.modify([.delete("h1")])
    #expect(try await pass(3, in: fixture) == DeletionReport())
    fixture.server.clock.advance(by: 1000 * Self.day)
    #expect(try await pass(1, in: fixture) == DeletionReport())
    #expect(try await fixture.changes(since: token).summary == ["-h1"])
  }

  @Test func `a deletion is remembered for its lifetime, and forgotten after it`() async throws {
    let fixture = try await prepared()
    _ = try await fixture.modify([.delete("h1"), .delete("h2"), .delete("h3")])
    #expect(try await pass(8, in: fixture).deletions == 0)
    #expect(try await remembered(fixture) == ["-h1", "-h2", "-h3"])
    #expect(try await pass(2, in: fixture).deletions == 3)
    #expect(try await remembered(fixture) == [])
    #expect(try await fixture.changes().summary == ["+h0", "+h4"])
  }

  @Test func `a deletion is forgotten to the millisecond, after the mark that is not before it`()
    async throws
  {
    let fixture = try await prepared()
    _ = try await fixture.modify([.delete("h1")])
    let memory = fixture.engine.deletionMemory
    #expect(try await memory.sweep().deletions == 0)
    fixture.server.clock.advance(by: 8 * Self.day - 1)
    #expect(try await memory.sweep().deletions == 0)
    fixture.server.clock.advance(by: 1)
    #expect(try await memory.sweep().deletions == 1)
  }

  @Test func `an eighth of the lifetime lies between two marks`() async throws {
    let fixture = try await prepared()
    let database = try fixture.phone.databaseKey(.private)
    func marks() async throws -> Int {
      _ = try await fixture.engine.deletionMemory.sweep()
      let bytes = try await fixture.server.store.read {
        try $0.settings.value(.sequenceMarks(database))
      }
      return SequenceMarks(bytes ?? []).marks.count
    }
    #expect(try await marks() == 1)
    _ = try await fixture.modify([.delete("h1")])
    fixture.server.clock.advance(by: Self.day - 1)
    #expect(try await marks() == 1)
    fixture.server.clock.advance(by: 1)
    #expect(try await marks() == 2)
  }

  @Test func `a token from before a forgotten deletion is expired, one from after it goes on`()
    async throws
  {
    let fixture = try await prepared()
    let before = try await fixture.changes().token
    _ = try await fixture.modify([.delete("h1")])
    let after = try await fixture.changes(since: before).token
    _ = try await pass(10, in: fixture)
    #expect(try await fixture.changesFailure(since: before).code == .changeTokenExpired)
    try await fixture.save(.create("new"))
    #expect(try await fixture.changes(since: after).summary == ["+new"])
    let contents = try await fixture.engine.tokenInspection.contents(of: before)
    #expect(contents.refusal?.contains("forgotten") == true)
    #expect(try await fixture.engine.tokenInspection.contents(of: after).refusal == nil)
  }

  @Test func `a zone in which nothing was forgotten keeps its tokens`() async throws {
    let fixture = try await prepared()
    let other = ZoneID(name: "Other")
    try await fixture.makeZone(other)
    try await fixture.save(.create("o1"), zone: other)
    let token = try await fixture.changes(zone: other).token
    _ = try await fixture.modify([.delete("h1")])
    #expect(try await pass(10, in: fixture).zones == 1)
    #expect(try await fixture.changes(since: token, zone: other).summary == [])
  }

  @Test func `a fetch that began with nothing goes on over what was forgotten meanwhile`()
    async throws
  {
    let fixture = try await prepared()
    _ = try await fixture.modify([.delete("h4")])
    _ = try await fixture.modify([.delete("h3")])
    var request = ZoneChangesRequest(zone: EngineFixture.trails, limit: 1, withDeletions: true)
    var seen: [String] = []
    repeat {
      let page = try #require(
        try await fixture.engine.changes.ofZones([request], in: .private, as: fixture.phone).first
      ).get()
      seen += page.summary
      request.token = page.moreComing ? page.token : nil
      _ = try await fixture.engine.deletionMemory.forget(
        in: fixture.phone.containerEnvironment, olderThan: 0, isDryRun: false)
    } while request.token != nil
    #expect(seen == ["+h0", "+h1", "+h2"])
  }

  @Test func `a record that is back is not forgotten`() async throws {
    let fixture = try await prepared()
    _ = try await fixture.modify([.delete("h1")])
    _ = try await pass(4, in: fixture)
    try await fixture.save(.create("h1"))
    #expect(try await pass(6, in: fixture).deletions == 0)
    #expect(try await fixture.exists("h1"))
  }

  @Test func `an operator forgets what is old enough at once, or only counts it`() async throws {
    let fixture = try await prepared(lifetime: nil)
    let memory = fixture.engine.deletionMemory
    let containerEnvironment = fixture.phone.containerEnvironment
    _ = try await fixture.modify([.delete("h1"), .delete("h2")])
    let counted = try await memory.forget(in: containerEnvironment, olderThan: 0, isDryRun: true)
    #expect(counted == DeletionReport(deletions: 2, zones: 1, databases: counted.databases))
    #expect(try await remembered(fixture) == ["-h1", "-h2"])
    // Nobody noted how old they are.
    let unknown = try await memory.forget(
      in: containerEnvironment, olderThan: Self.day, isDryRun: false)
    #expect(unknown.deletions == 0 && unknown.unknown == unknown.databases)
    #expect(
      try await memory.forget(in: containerEnvironment, olderThan: 0, isDryRun: false).deletions
        == 2)
    #expect(try await remembered(fixture) == [])
    await #expect(throws: BrumeError.self) {
      try await memory.forget(in: containerEnvironment, olderThan: nil, isDryRun: true)
    }
  }

  @Test func `marks are few, however long they are noted`() {
    var marks = SequenceMarks()
    for day in Int64(0)..<100 {
      marks.note(day, at: day * Self.day, every: Self.day)
      if let old = marks.sequence(before: (day - 8) * Self.day) { marks.forget(through: old) }
      #expect(marks.marks.count <= 9)
    }
    #expect(SequenceMarks(marks.bytes) == marks)
    #expect(marks.forgotten == 91)
  }

  @Test func `a clock that was set back makes nothing older`() {
    var marks = SequenceMarks()
    marks.note(5, at: 100, every: 10)
    marks.note(9, at: 50, every: 10)
    #expect(marks.sequence(before: 60) == 9)
    #expect(marks.sequence(before: 49) == nil)
    #expect(SequenceMarks([255, 1, 2]).marks.isEmpty)
  }

  @Test func `a damaged database keeps no other from forgetting its deletions`() async throws {
    var limits = Limits.apple
    limits.deletionLifetime = 8 * Self.day
    let store = DamagedDatabase(MemoryStore(coders: .wire))
    let fixture = try await EngineFixture(TestServer(store: store, limits: limits))
    try await fixture.save(.create("open"), in: .public)
    try await fixture.save(.create("h1"))
    _ = try await fixture.modify([.delete("h1")])
    // The first in order.
    store.damaged.value = try fixture.phone.databaseKey(.public)
    var report = DeletionReport()
    for _ in 0..<2 {
      var failure: StoreError?
      do {
        try await fixture.engine.deletionMemory.sweep(into: &report)
      } catch let error as StoreError { failure = error }
      #expect(failure?.code == .corrupt)
      fixture.server.clock.advance(by: 9 * Self.day)
    }
    #expect(report.deletions == 1)
    #expect(try await remembered(fixture) == [])
  }

  @Test func `what a pass forgot in a damaged database before it met the damage is counted`()
    async throws
  {
    var limits = Limits.apple
    limits.deletionLifetime = 8 * Self.day
    limits.deletionRows = 1
    let store = DamagedDatabase(MemoryStore(coders: .wire))
    let fixture = try await EngineFixture(TestServer(store: store, limits: limits))
    for name in ["h1", "h2"] { try await fixture.save(.create(name)) }
    _ = try await fixture.modify([.delete("h1"), .delete("h2")])
    #expect(try await fixture.engine.deletionMemory.sweep().deletions == 0)
    fixture.server.clock.advance(by: 9 * Self.day)
    store.damaged.value = try fixture.phone.databaseKey(.private)
    store.left.value = 1
    var report = DeletionReport()
    var failure: StoreError?
    do {
      try await fixture.engine.deletionMemory.sweep(into: &report)
    } catch let error as StoreError { failure = error }
    #expect(failure?.code == .corrupt)
    #expect(report.deletions == 1 && report.zones == 1)
    #expect(try await remembered(fixture).count == 1)
  }

  /// Two zones of one database with a deletion each, old enough, of which the first write fails.
  private func withDamagedZone() async throws -> EngineFixture {
    var limits = Limits.apple
    limits.deletionLifetime = 8 * Self.day
    let store = DamagedDatabase(MemoryStore(coders: .wire))
    let fixture = try await EngineFixture(TestServer(store: store, limits: limits))
    let other = ZoneID(name: "Other")
    try await fixture.makeZone(other)
    for zone in [other, EngineFixture.trails] {
      try await fixture.save(.create("h1"), zone: zone)
      _ = try await fixture.modify([.delete("h1")], zone: zone)
    }
    #expect(try await fixture.engine.deletionMemory.sweep().deletions == 0)
    fixture.server.clock.advance(by: 9 * Self.day)
    store.failing.value = 1
    store.damaged.value = try fixture.phone.databaseKey(.private)
    return fixture
  }

  @Test func `a damaged zone keeps no other of its database from forgetting, and is tried again`()
    async throws
  {
    let fixture = try await withDamagedZone()
    let memory = fixture.engine.deletionMemory
    var report = DeletionReport()
    var failure: StoreError?
    do { try await memory.sweep(into: &report) } catch let error as StoreError { failure = error }
    #expect(failure?.code == .corrupt)
    #expect(report.deletions == 1 && report.zones == 1)
    #expect(try await memory.sweep().deletions == 1)
    #expect(try await memory.sweep().deletions == 0)
    #expect(try await remembered(fixture) == [])
  }

  @Test func `what an operator forgets beside a damaged zone is counted`() async throws {
    let fixture = try await withDamagedZone()
    var report = DeletionReport()
    var failure: StoreError?
    do {
      try await fixture.engine.deletionMemory.forget(
        in: fixture.phone.containerEnvironment, olderThan: 0, isDryRun: false, into: &report)
    } catch let error as StoreError { failure = error }
    #expect(failure?.code == .corrupt)
    #expect(report.deletions == 1 && report.zones == 1)
  }

  @Test func `marks stay few while damage keeps what they say from being forgotten`() {
    var marks = SequenceMarks()
    for day in Int64(0)..<100 {
      marks.note(day, at: day * Self.day, every: Self.day)
      if let old = marks.sequence(before: (day - 8) * Self.day) {
        marks.take(old, isForgotten: false)
        #expect(marks.sequence(before: (day - 8) * Self.day) == old)
      }
      #expect(marks.marks.count <= 9)
    }
    #expect(marks.forgotten == 0)
  }
}

/// Another store, of which one database cannot be written, but for so many writes, and after so many failures.
private final class DamagedDatabase: WrappingStore {
  let inner: any Store
  let damaged = Mutexed<DatabaseKey?>(nil)
  let left = Mutexed(0)
  let failing = Mutexed(Int.max)

  init(_ inner: any Store) { self.inner = inner }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    if let key = damaged.value, scope.parts.contains(.database(key)) {
      if left.value > 0 {
        left.change { $0 -= 1 }
      } else if failing.value > 0 {
        failing.change { $0 -= 1 }
        throw StoreError(.corrupt, "invalid page in block 0")
      }
    }
    return try await inner.write(in: scope, reading: plan, body)
  }
}
