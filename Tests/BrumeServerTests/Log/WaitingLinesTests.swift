// What becomes of lines of the log while nobody reads them, and while they cannot be written.

import BrumeModel
import BrumeServer
import Testing

@Suite struct WaitingLinesTests {
  @Test func `lines of so many bytes wait, and not one byte more`() {
    let lines = Lines(Limits())
    lines.add("a", bytes: 1 << 20)
    #expect(lines.lost == 0)
    lines.add("", bytes: 1)
    #expect(lines.lost == 1)
  }

  @Test func `lines are written in their order, whole, and some at once`() {
    let lines = Lines(bytes: 10_000)
    #expect(lines.write() == nil)
    // The first wakes the writer, which then goes on by itself.
    #expect(lines.add("1", bytes: 3000))
    #expect(!lines.add("2", bytes: 1096))
    #expect(!lines.add("3", bytes: 5000))
    #expect(lines.write() == "1\n2\n")
    #expect(lines.write() == "3\n")
    #expect(lines.write() == nil)
    #expect(lines.add("4", bytes: 100))
  }

  @Test func `what there is no room for leaves one gap, which says how much is missing since when`()
    throws
  {
    let lines = Lines(bytes: 8192)
    for name in ["a", "b"] { lines.add(name, bytes: 4096) }
    let first = try #require(lines.next())
    lines.add("c", at: 2)
    lines.finish(first, written: 4096)
    // There would be room for it, in the middle of the gap.
    lines.add("d", at: 3)
    #expect(lines.lost == 2)
    #expect(lines.write() == "b\n")
    #expect(lines.write() == "lost 2 since 2\n")
    lines.add("e")
    #expect(lines.write() == "e\n")
  }

  @Test func `a line that is larger than all that may wait is lost, and said to be`() {
    let lines = Lines(bytes: 100)
    #expect(lines.add("a", bytes: 101, at: 7))
    #expect(lines.write() == "lost 1 since 7\n")
  }

  @Test func `what cannot be written is tried again only with the next line, which says it`() throws
  {
    let lines = Lines(bytes: 1000)
    for time in 1...3 {
      #expect(lines.add("a"))
      lines.finish(try #require(lines.next()), written: 0, at: Milliseconds(time))
      #expect(lines.next() == nil)
    }
    #expect(lines.lost == 3)
    lines.add("b")
    #expect(lines.write() == "lost 3 since 1\nb\n")
  }

  @Test func `a line that was cut is lost, and the next stands on a line of its own`() throws {
    let lines = Lines(bytes: 1000)
    for name in ["a", "b"] { lines.add(name) }
    lines.finish(try #require(lines.next()), written: 3, at: 5)
    #expect(lines.lost == 1)
    lines.add("c")
    // Not all of what is said about it is taken either.
    lines.finish(try #require(lines.next()), written: 4, at: 6)
    #expect(lines.lost == 2)
    lines.add("d")
    #expect(lines.write() == "\nlost 2 since 5\nd\n")
  }

  @Test func `behind a line that was cut, those that wait stand on lines of their own`() throws {
    let lines = Lines(bytes: 10_000)
    for name in ["a", "b", "c"] { lines.add(name, bytes: 3000) }
    lines.add("d", bytes: 3000)
    lines.finish(try #require(lines.next()), written: 10, at: 5)
    #expect(lines.write() == "\nb\n")
    #expect(lines.write() == "c\n")
    #expect(lines.write() == "lost 2 since 0\n")
  }
}

/// Lines of one test, which also writes them.
private final class Lines {
  private static let filler = UInt8(ascii: ".")
  private var waiting: WaitingLines

  init(_ limits: Limits) {
    waiting = WaitingLines(limits) { Array("lost \($0.count) since \($0.since)\n".utf8) }
  }

  convenience init(bytes: Int) {
    var limits = Limits()
    limits.logBytesWaiting = bytes
    self.init(limits)
  }

  var lost: Int64 { waiting.lost }

  /// - Parameter bytes: with the end of the line; what the name does not fill, dots do.
  @discardableResult
  func add(_ name: String, bytes: Int = 2, at time: Milliseconds = 0) -> Bool {
    let dots = [UInt8](repeating: Self.filler, count: bytes - name.utf8.count - 1)
    return waiting.add(Array(name.utf8) + dots + [10], at: time)
  }

  func next() -> WaitingLines.Piece? { waiting.next() }

  func finish(_ piece: WaitingLines.Piece, written: Int, at time: Milliseconds = 0) {
    waiting.finish(piece, written: written, at: time)
  }

  /// One piece, without the dots; nil: there is none.
  func write() -> String? {
    guard let piece = next() else { return nil }
    finish(piece, written: piece.bytes.count)
    return String(decoding: piece.bytes.filter { $0 != Self.filler }, as: UTF8.self)
  }
}
