// Which backup may be applied, and which is in the way of another.

import BrumeCore
import BrumeModel
import Testing

@Suite struct PendingRestoreTests {
  private static let summary = BackupSummary(
    id: "B", made: 1, rows: 2, assets: 3, bytes: 4, missing: 0)

  private static func refusal(_ body: () throws -> Void) -> BrumeError.Code? {
    do { try body() } catch let error as BrumeError { return error.code } catch { return nil }
    return nil
  }

  /// One that was received, checked and written.
  private static func ready() throws -> PendingRestore {
    var pending = PendingRestore(.apple)
    try pending.begin("a", now: 0)
    _ = pending.note(.ready(summary), of: "a", now: 0)
    pending.rest()
    return pending
  }

  @Test func `one that is under way is not pushed out by another`() throws {
    var pending = PendingRestore(.apple)
    try pending.begin("a", now: 0)
    for step in [RestoreStatus.Step.receiving(5), .checking(1, of: 5), .writing(rows: 1, bytes: 0)]
    {
      let isKnown = pending.note(step, of: "a", now: 1)
      #expect(isKnown)
      #expect(Self.refusal { try pending.begin("b", now: 1) } == .throttled)
      #expect(Self.refusal { _ = try pending.apply("a") } == .tryAgainLater)
    }
  }

  @Test func `one that waits or failed makes room for another`() throws {
    var pending = try Self.ready()
    try pending.begin("b", now: 1)
    _ = pending.note(.failed("damaged"), of: "b", now: 1)
    pending.rest()
    #expect(Self.refusal { _ = try pending.apply("b") } == .badRequest)
    try pending.begin("c", now: 1)
    #expect(pending.status?.id == "c")
  }

  @Test func `what was thrown away is noticed by who works on it first`() throws {
    var pending = PendingRestore(.apple)
    try pending.begin("a", now: 0)
    let isFree = try pending.remove("a")
    #expect(!isFree)
    let isKnown = pending.note(.receiving(1), of: "a", now: 1)
    #expect(!isKnown)
    #expect(Self.refusal { try pending.begin("b", now: 1) } == .throttled)
    pending.rest()
    try pending.begin("b", now: 1)
  }

  @Test(arguments: [true, false])
  func `another begins when everything is removed of one that was thrown away or expired`(
    isThrownAway: Bool
  ) throws {
    var pending = try Self.ready()
    let isFree = try isThrownAway ? pending.remove("a") : pending.expire(now: 3_600_000)
    #expect(isFree && pending.status == nil)
    #expect(Self.refusal { try pending.begin("b", now: 1) } == .throttled)
    pending.rest()
    try pending.begin("b", now: 1)
  }

  @Test func `one that is thrown away when it has just got ready is removed by who wrote it`()
    throws
  {
    var pending = PendingRestore(.apple)
    try pending.begin("a", now: 0)
    _ = pending.note(.ready(Self.summary), of: "a", now: 0)
    let isGone = pending.expire(now: 3_600_000)
    let isFree = try pending.remove("a")
    let isKnown = pending.rest(from: "a")
    #expect(!isGone && !isFree && !isKnown)
    #expect(Self.refusal { try pending.begin("b", now: 1) } == .throttled)
    pending.rest()
    try pending.begin("b", now: 1)
    let isDone = pending.rest(from: "b")
    #expect(isDone)
    try pending.begin("c", now: 1)
  }

  @Test func `what is applied stays until the next start`() throws {
    var pending = try Self.ready()
    let applied = try pending.apply("a")
    #expect(applied == Self.summary)
    #expect(Self.refusal { _ = try pending.apply("a") } == .throttled)
    #expect(Self.refusal { _ = try pending.remove("a") } == .throttled)
    #expect(Self.refusal { try pending.begin("b", now: 1) } == .throttled)
    let isGone = pending.expire(now: .max)
    #expect(!isGone)
    pending.takeBack(Self.summary)
    let again = try pending.apply("a")
    #expect(again == Self.summary)
  }

  @Test func `another ID than the one that was shown is not applied`() throws {
    var pending = try Self.ready()
    #expect(Self.refusal { _ = try pending.apply("b") } == .notFound)
    #expect(Self.refusal { _ = try pending.remove("b") } == .notFound)
  }

  @Test func `one that nobody asks for goes after an hour`() throws {
    var pending = try Self.ready()
    _ = pending.use(now: 10)
    let gone = [pending.expire(now: 3_600_009), pending.expire(now: 3_600_010)]
    #expect(gone == [false, true])
    #expect(pending.status == nil)
  }

  @Test func `one of a clock that was ahead goes an hour after that was set back`() throws {
    var pending = try Self.ready()
    _ = pending.use(now: 9 * 3_600_000)
    let gone = [0, 3_599_999, 3_600_000].map { pending.expire(now: $0) }
    #expect(gone == [false, false, true])
  }
}
