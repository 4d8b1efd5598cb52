// Which sequence a database had at which time, as a value. A deletion has a sequence and no time: it is as old as
// the newest mark that is not before it, at least.

import BrumeModel

struct SequenceMarks: Equatable {
  struct Mark: Equatable {
    let time: Milliseconds
    let sequence: Int64
  }
  /// In the order of time, and so of sequences.
  private(set) var marks: [Mark] = []
  /// Deletions up to here are forgotten.
  private(set) var forgotten: Int64 = 0

  init() {}

  /// Bytes that are no marks read as none.
  init(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    forgotten = unpacker.number() ?? 0
    while let time = unpacker.number(), let sequence = unpacker.number() {
      marks.append(Mark(time: time, sequence: sequence))
    }
  }

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(forgotten)
    for mark in marks {
      packer.add(mark.time)
      packer.add(mark.sequence)
    }
    return packer.bytes
  }

  /// Everything up to this sequence is older than `time`; nil: nobody knows.
  func sequence(before time: Milliseconds) -> Int64? {
    marks.last { $0.time <= time }?.sequence
  }

  /// Notes where the database is, if it has moved and the last mark is so old.
  mutating func note(_ sequence: Int64, at now: Milliseconds, every interval: Milliseconds) {
    // From before the clock was set back.
    marks.removeAll { $0.time > now }
    if let last = marks.last, last.sequence == sequence || last.time + interval > now { return }
    marks.append(Mark(time: now, sequence: sequence))
  }

  /// Deletions up to there are forgotten; marks that say no more than that go.
  mutating func forget(through sequence: Int64) {
    forgotten = max(forgotten, sequence)
    let (last, known) = (marks.last, forgotten)
    // The last one says that the database has not moved.
    marks.removeAll { $0.sequence <= known && $0 != last }
  }

  /// Deletions up to there are old enough. Those that are not all forgotten, for damage, are tried again: of the marks up to
  /// there only that place is needed.
  mutating func take(_ sequence: Int64, isForgotten: Bool) {
    if isForgotten { return forget(through: sequence) }
    let last = marks.last
    marks.removeAll { $0.sequence < sequence && $0 != last }
  }
}
