// The reads that wait for a connection, as a value. Names take turns, however many reads each has waiting, and none has all
// connections: some are left to those who read nothing at the moment and are not known for long reads.

import DequeModule

struct ReadTurns {
  /// Ours: of so many connections one is left to others.
  static let ofOneLeft = 4
  /// Ours: whoever read for longer is expected to do it again. In milliseconds.
  static let long: Int64 = 250
  /// Ours: names that are remembered for it; with more all are forgotten, as some never read again.
  private static let longNamesLimit = 1024

  /// Nil: the server itself, which waits for nobody's room or turn.
  typealias Name = String?

  private var lines: [Name: Deque<ReadJob>] = [:]
  /// Those with a line; whose turn it is comes first.
  private var order: Deque<Name> = []
  private var running: [Name: Int] = [:]
  private var runningCount = 0
  private var longNames: Set<Name> = []
  private(set) var count = 0
  /// How many reads may run at once.
  var connections = 0
  /// At the end there is nobody to leave connections to.
  var leavesNone = false

  /// Whether a read of this name may begin if a connection is free.
  func mayBegin(_ name: Name) -> Bool {
    if name == nil || leavesNone || hasRoom { return true }
    return running[name] == nil && !longNames.contains(name)
  }

  private var hasRoom: Bool { connections - runningCount > connections / Self.ofOneLeft }

  /// Whether one that waits may begin.
  var hasNext: Bool { order.contains(where: mayBegin) }

  mutating func add(_ job: ReadJob) {
    if lines[job.name] == nil { order.append(job.name) }
    lines[job.name, default: []].append(job)
    count += 1
  }

  /// The server's own, or the next in turn of those that may begin.
  mutating func next() -> ReadJob? {
    guard let index = order.firstIndex(of: nil) ?? order.firstIndex(where: mayBegin) else {
      return nil
    }
    let name = order.remove(at: index)
    var line = lines.removeValue(forKey: name) ?? []
    guard let job = line.popFirst() else { return nil }
    count -= 1
    if !line.isEmpty {
      lines[name] = line
      order.append(name)
    }
    begins(name)
    return job
  }

  /// A read begins, which has waited here or not.
  mutating func begins(_ name: Name) {
    running[name, default: 0] += 1
    runningCount += 1
  }

  /// A read is over, and took so long; nil: it goes on elsewhere, or had no connection.
  mutating func ended(_ name: Name, milliseconds: Int64?) {
    let left = running[name, default: 1] - 1
    running[name] = left > 0 ? left : nil
    runningCount -= 1
    guard let milliseconds else { return }
    if longNames.count >= Self.longNamesLimit { longNames = [] }
    if milliseconds < Self.long { longNames.remove(name) } else { longNames.insert(name) }
  }

  /// Those that came no later than the read with this number, in the order of coming.
  mutating func take(through number: Int64) -> [ReadJob] {
    let waiting = lines.values.joined().sorted { $0.number < $1.number }
    (lines, order, count) = ([:], [], 0)
    for job in waiting where job.number > number { add(job) }
    return waiting.filter { $0.number <= number }
  }
}
