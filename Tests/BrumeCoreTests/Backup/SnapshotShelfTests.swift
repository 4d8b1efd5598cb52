// How many snapshots a server keeps, and for how long.

import BrumeCore
import BrumeModel
import Testing

@Suite struct SnapshotShelfTests {
  private static let hour: Milliseconds = 3_600_000
  private static var shelf: SnapshotShelf { SnapshotShelf(.apple) }

  @Test func `only so many are kept, and one that is removed makes room`() throws {
    var shelf = Self.shelf
    for id in ["a", "b"] { try shelf.begin(id, now: 0) }
    #expect(Self.refusal { try shelf.begin("c", now: 1) } == .throttled)
    let removals = [shelf.remove("a"), shelf.remove("a")]
    #expect(removals == [true, false])
    try shelf.begin("c", now: 1)
  }

  @Test func `one that nobody asks for goes after an hour, one that is being made stays`() throws {
    var shelf = Self.shelf
    try shelf.begin("making", now: 0)
    try shelf.begin("ready", now: 0)
    shelf.note(.ready(5), of: "ready", now: 10)
    var gone = shelf.expire(now: Self.hour + 9)
    #expect(gone == [])
    var state = try shelf.use("ready", now: Self.hour + 9)
    #expect(state == .ready(5))
    gone = shelf.expire(now: 2 * Self.hour + 8)
    #expect(gone == [])
    gone = shelf.expire(now: 2 * Self.hour + 9)
    #expect(gone == ["ready"])
    state = try shelf.use("making", now: 0)
    #expect(state == .making(0))
    #expect(Self.refusal { _ = try shelf.use("ready", now: 0) } == .notFound)
  }

  @Test func `one that was removed while it was made stays away`() throws {
    var shelf = Self.shelf
    try shelf.begin("a", now: 0)
    _ = shelf.remove("a")
    shelf.note(.ready(5), of: "a", now: 1)
    #expect(Self.refusal { _ = try shelf.use("a", now: 1) } == .notFound)
    shelf.adopt("b", size: 7, now: 1)
    let state = try shelf.use("b", now: 2)
    #expect(state == .ready(7))
  }

  private static func refusal(_ body: () throws -> Void) -> BrumeError.Code? {
    do { try body() } catch { return (error as? BrumeError)?.code }
    return nil
  }
}
