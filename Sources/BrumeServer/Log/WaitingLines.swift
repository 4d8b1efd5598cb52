// Lines of a server's log that wait until they are written: how many bytes may wait, and which lines are lost when nobody
// reads. Whoever writes them, and knows the time, is `LogWriter.swift`.

package import BrumeModel
import DequeModule

/// Lines that were lost.
package struct LostLines: Equatable, Sendable {
  package var count: Int
  /// When the first of them was.
  package let since: Milliseconds

  package init(count: Int, since: Milliseconds) { (self.count, self.since) = (count, since) }
}

/// The lines of one output that wait, in their order. Once there is no room for one, all that follow are lost until the
/// others are written: so there is one gap, and one line in its place that says how many are missing.
package struct WaitingLines: Sendable {
  /// What is written by one call.
  package struct Piece: Sendable {
    package let bytes: [UInt8]
    /// What a line at the beginning says to be missing, and where that line ends.
    fileprivate let said: LostLines?
    fileprivate let start: Int
    /// Where each of the lines behind it ends.
    fileprivate let ends: [Int]
  }

  /// Ours: as many bytes as a pipe takes in one piece, so that lines of several programs do not mix in it.
  private static let pieceBytes = 4096
  private static let lineEnd = UInt8(ascii: "\n")

  private let most: Int
  private let note: @Sendable (LostLines) -> [UInt8]
  private var lines: Deque<[UInt8]> = []
  /// Of all lines that are not written yet.
  private var bytes = 0
  /// Whether there was no room, and not all that waited then is written yet.
  private var isFull = false
  /// What was lost and not said yet.
  private var missing: LostLines?
  /// Whether a line was written in part and the rest was not taken.
  private var isCut = false
  /// Whether the writer waits to be woken.
  private var isResting = true
  /// Lines that were lost since the beginning.
  package private(set) var lost: Int64 = 0

  /// - Parameters:
  ///   - limits: how many bytes may wait.
  ///   - note: the line that says what is missing in its place.
  package init(_ limits: Limits, note: @escaping @Sendable (LostLines) -> [UInt8]) {
    most = limits.logBytesWaiting
    self.note = note
  }

  /// Takes one line, with its end. Answers whether the writer is to be woken.
  package mutating func add(_ line: [UInt8], at time: Milliseconds) -> Bool {
    if !isFull, bytes + line.count <= most {
      lines.append(line)
      bytes += line.count
    } else {
      isFull = true
      lose(1, at: time)
    }
    defer { isResting = false }
    return isResting
  }

  /// What is to be written next; nil: nothing, until `add` says so. Each piece is finished before the next.
  package mutating func next() -> Piece? {
    guard isFull || !lines.isEmpty else {
      isResting = true
      return nil
    }
    var (bytes, said) = (isCut ? [Self.lineEnd] : [], LostLines?.none)
    if let missing, !isFull || lines.isEmpty {
      said = missing
      self.missing = nil
      isFull = false
      bytes += note(missing)
    }
    let start = bytes.count
    var ends: [Int] = []
    while let line = lines.first, ends.isEmpty || bytes.count + line.count <= Self.pieceBytes {
      bytes += line
      ends.append(bytes.count)
      lines.removeFirst()
    }
    return Piece(bytes: bytes, said: said, start: start, ends: ends)
  }

  /// - Parameter written: bytes of the piece; if those are not all, the rest is lost.
  package mutating func finish(_ piece: Piece, written: Int, at time: Milliseconds) {
    bytes -= piece.bytes.count - piece.start
    if written > 0 { isCut = piece.bytes[written - 1] != Self.lineEnd }
    if let said = piece.said, written < piece.start {
      // They are not said yet, and are the oldest.
      missing = LostLines(count: said.count + (missing?.count ?? 0), since: said.since)
    }
    lose(piece.ends.count { $0 > written }, at: time)
  }

  private mutating func lose(_ count: Int, at time: Milliseconds) {
    guard count > 0 else { return }
    missing = LostLines(count: count + (missing?.count ?? 0), since: missing?.since ?? time)
    lost += Int64(count)
  }
}
