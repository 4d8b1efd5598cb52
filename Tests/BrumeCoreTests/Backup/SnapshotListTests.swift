// How many snapshots a server keeps, and for how long.

import BrumeCore
import BrumeModel
import Testing

@Suite struct SnapshotListTests {
  private static let hour: Milliseconds = 3_600_000
  private static var list: SnapshotList { SnapshotList(.apple) }

  @Test func `only so many are kept, and one that is removed makes room`() throws {
    var list = Self.list
    for id in ["a", "b"] { try list.begin(id, now: 0) }
    #expect(Self.refusal { try list.begin("c", now: 1) } == .throttled)
    let removals = [list.remove("a"), list.remove("a")]
    #expect(removals == [true, false])
    try list.begin("c", now: 1)
  }

  @Test func `one that failed makes room, the oldest first`() throws {
    var list = Self.list
    for (time, id) in ["a", "b"].enumerated() {
      try list.begin(id, now: Milliseconds(time))
      list.note(.failed("no room"), of: id, now: Milliseconds(time))
    }
    var gone = try list.begin("c", now: 2)
    #expect(gone == "a")
    let state = try list.use("b", now: 3)
    #expect(state == .failed("no room"))
    gone = try list.begin("d", now: 4)
    #expect(gone == "b")
    #expect(Self.refusal { try list.begin("e", now: 5) } == .throttled)
  }

  @Test func `one that nobody asks for goes after an hour, one that is being made stays`() throws {
    var list = Self.list
    try list.begin("making", now: 0)
    try list.begin("ready", now: 0)
    list.note(.ready(5), of: "ready", now: 10)
    var gone = list.expire(now: Self.hour + 9)
    #expect(gone == [])
    var state = try list.use("ready", now: Self.hour + 9)
    #expect(state == .ready(5))
    gone = list.expire(now: 2 * Self.hour + 8)
    #expect(gone == [])
    gone = list.expire(now: 2 * Self.hour + 9)
    #expect(gone == ["ready"])
    state = try list.use("making", now: 0)
    #expect(state == .making(0))
    #expect(Self.refusal { _ = try list.use("ready", now: 0) } == .notFound)
  }

  @Test func `one of a clock that was ahead goes an hour after that was set back`() {
    var list = Self.list
    list.adopt("a", size: 5, now: 9 * Self.hour)
    let gone = [0, Self.hour - 1, Self.hour].map { list.expire(now: $0) }
    #expect(gone == [[], [], ["a"]])
  }

  @Test func `one that was removed while it was made stays away`() throws {
    var list = Self.list
    try list.begin("a", now: 0)
    _ = list.remove("a")
    list.note(.ready(5), of: "a", now: 1)
    #expect(Self.refusal { _ = try list.use("a", now: 1) } == .notFound)
    list.adopt("b", size: 7, now: 1)
    let state = try list.use("b", now: 2)
    #expect(state == .ready(7))
  }

  private static func refusal(_ body: () throws -> Void) -> BrumeError.Code? {
    do { try body() } catch { return (error as? BrumeError)?.code }
    return nil
  }
}
