// Which backup may be applied, and which is in the way of another.

import BrumeCore
import BrumeModel
import Testing

@Suite struct RestoreDeskTests {
  private static let summary = BackupSummary(
    id: "B", made: 1, rows: 2, assets: 3, bytes: 4, missing: 0)

  private static func refusal(_ body: () throws -> Void) -> BrumeError.Code? {
    do { try body() } catch let error as BrumeError { return error.code } catch { return nil }
    return nil
  }

  /// One that was received, checked and written.
  private static func ready() throws -> RestoreDesk {
    var desk = RestoreDesk(.apple)
    try desk.begin("a", now: 0)
    _ = desk.note(.ready(summary), of: "a", now: 0)
    desk.rest()
    return desk
  }

  @Test func `one that is under way is not pushed out by another`() throws {
    var desk = RestoreDesk(.apple)
    try desk.begin("a", now: 0)
    for step in [RestoreStatus.Step.receiving(5), .checking(1, of: 5), .writing(rows: 1, bytes: 0)]
    {
      let isKnown = desk.note(step, of: "a", now: 1)
      #expect(isKnown)
      #expect(Self.refusal { try desk.begin("b", now: 1) } == .throttled)
      #expect(Self.refusal { _ = try desk.apply("a") } == .tryAgainLater)
    }
  }

  @Test func `one that waits or failed makes room for another`() throws {
    var desk = try Self.ready()
    try desk.begin("b", now: 1)
    _ = desk.note(.failed("damaged"), of: "b", now: 1)
    desk.rest()
    #expect(Self.refusal { _ = try desk.apply("b") } == .badRequest)
    try desk.begin("c", now: 1)
    #expect(desk.status?.id == "c")
  }

  @Test func `what was thrown away is noticed by who works on it first`() throws {
    var desk = RestoreDesk(.apple)
    try desk.begin("a", now: 0)
    let isFree = try desk.remove("a")
    #expect(!isFree)
    let isKnown = desk.note(.receiving(1), of: "a", now: 1)
    #expect(!isKnown)
    #expect(Self.refusal { try desk.begin("b", now: 1) } == .throttled)
    desk.rest()
    try desk.begin("b", now: 1)
  }

  @Test func `what is applied stays until the next start`() throws {
    var desk = try Self.ready()
    let applied = try desk.apply("a")
    #expect(applied == Self.summary)
    #expect(Self.refusal { _ = try desk.apply("a") } == .throttled)
    #expect(Self.refusal { _ = try desk.remove("a") } == .throttled)
    #expect(Self.refusal { try desk.begin("b", now: 1) } == .throttled)
    let isGone = desk.expire(now: .max)
    #expect(!isGone)
    desk.takeBack(Self.summary)
    let again = try desk.apply("a")
    #expect(again == Self.summary)
  }

  @Test func `another ID than the one that was shown is not applied`() throws {
    var desk = try Self.ready()
    #expect(Self.refusal { _ = try desk.apply("b") } == .notFound)
    #expect(Self.refusal { _ = try desk.remove("b") } == .notFound)
  }

  @Test func `one that nobody asks for goes after an hour`() throws {
    var desk = try Self.ready()
    _ = desk.use(now: 10)
    let gone = [desk.expire(now: 3_600_009), desk.expire(now: 3_600_010)]
    #expect(gone == [false, true])
    #expect(desk.status == nil)
  }
}
