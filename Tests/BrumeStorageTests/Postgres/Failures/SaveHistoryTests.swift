// The checker finds what it is there for.

import Testing

@Suite struct SaveHistoryTests {
  private typealias Line = SaveHistory.Line
  private let lines: [Line] = [(1, "a"), (2, "b"), (3, "c")]

  private var history: SaveHistory {
    var history = SaveHistory()
    for (name, answer) in [
      ("a", SaveHistory.Answer.saved(1)), ("b", .saved(2)), ("c", .unknown), ("d", .unknown),
      ("e", .refused),
    ] { history.note(name, answer) }
    return history
  }

  @Test func `a good history has no faults`() {
    #expect(history.faults(feed: lines, log: lines) == [])
    #expect(history.savedCount == 2)
  }

  @Test func `a save that was acknowledged and is gone is a fault`() {
    let rest: [Line] = [(1, "a")]
    #expect(history.faults(feed: rest, log: rest) == ["b was saved with 2, and has gone"])
  }

  @Test func `a save that has another sequence than was answered is a fault`() {
    let other: [Line] = [(1, "b"), (2, "a")]
    #expect(
      history.faults(feed: other, log: other) == [
        "a was saved with 1, and has 2", "b was saved with 2, and has 1",
      ])
  }

  @Test func `a sequence that two were answered is a fault`() {
    var history = history
    history.note("c", .saved(2))
    #expect(history.faults(feed: lines, log: lines).contains("a sequence was given twice"))
  }

  @Test func `a save that was refused and is there is a fault`() {
    let more = lines + [(4, "e")]
    #expect(history.faults(feed: more, log: more) == ["e was refused, and is there"])
  }

  @Test func `a save that nobody made is a fault`() {
    let more = lines + [(4, "x")]
    #expect(history.faults(feed: more, log: more) == ["nobody saved x"])
  }

  @Test func `a gap in the feed or in the log is a fault`() {
    let gap: [Line] = [(1, "a"), (2, "b"), (4, "c")]
    #expect(history.faults(feed: gap, log: lines) == ["the feed is not 1, 2, 3 …"])
    #expect(history.faults(feed: lines, log: gap) == ["the log is not 1, 2, 3 …"])
  }

  @Test func `a save that was carried out twice is a fault`() {
    let twice = lines + [(4, "c")]
    #expect(
      history.faults(feed: lines, log: twice) == [
        "c is in the log more than once", "log and feed have different orders",
      ])
  }

  @Test func `an order in the log that is not the feed's is a fault`() {
    let turned: [Line] = [(1, "a"), (2, "c"), (3, "b")]
    #expect(
      history.faults(feed: lines, log: turned) == ["log and feed have different orders"])
  }
}
