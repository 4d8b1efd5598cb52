// A process that lives through the calm beginning that several seeds have in common, and then runs each of them in a
// copy of itself.

import CSimulation
import Foundation

final class Beginning {
  /// Ours: seeds in a row that begin alike. A beginning is a third of what a run costs, and nothing goes wrong in it.
  private static let seeds: UInt64 = 20
  /// Ours: seconds that a run may take, on a busy machine too.
  static let patience: UInt32 = 300

  typealias Run = (order: Life.Order, outcome: Life.Outcome)

  /// Where the outcomes come from, in the order of the seeds.
  let file: Int32
  private let process: Int32
  /// Those without an outcome yet.
  private var orders: ArraySlice<Life.Order>
  private var bytes: [UInt8] = []
  private var lines: [String] = []
  var isOver: Bool { orders.isEmpty }
  /// What is run now, or next.
  var order: Life.Order? { orders.first }

  /// - Parameter orders: of seeds that begin alike, and all with the same planted fault.
  /// - Parameter patience: seconds that each may take.
  init(_ orders: [Life.Order], patience: UInt32 = Beginning.patience) {
    self.orders = orders[...]
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let process = simulation_fork()
    if process == 0 {
      Foundation.close(ends[0])
      Self.live(orders, patience, writingTo: ends[1])
      _exit(0)
    }
    Foundation.close(ends[1])
    self.process = process
    file = ends[0]
  }

  /// Seeds with the same number begin alike.
  static func number(of seed: UInt64) -> UInt64 { seed / seeds }

  /// Parts of some seeds that begin alike.
  static func parts(of seeds: Range<UInt64>) -> some Sequence<Range<UInt64>> {
    sequence(state: seeds.lowerBound) { next in
      guard next < seeds.upperBound else { return nil }
      let begin = next
      next = min(seeds.upperBound, (number(of: begin) + 1) * Self.seeds)
      return begin..<next
    }
  }

  static func outcome(of order: Life.Order, patience: UInt32) -> Life.Outcome {
    let beginning = Beginning([order], patience: patience)
    while true {
      if let run = beginning.receive().first { return run.outcome }
    }
  }

  /// Waits for more, and answers the runs that have ended.
  func receive() -> [Run] {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = read(file, &piece, piece.count)
    if count <= 0 {
      // It ended by itself, so that none of its seeds can be run.
      let outcome = Life.Outcome(endedWith: close())
      defer { orders = [] }
      return orders.map { ($0, outcome) }
    }
    bytes += piece[..<count]
    let runs = self.runs()
    if isOver { _ = close() }
    return runs
  }

  private func runs() -> [Run] {
    var runs: [Run] = []
    let parts = bytes.split(separator: 10, omittingEmptySubsequences: false)
    bytes = Array(parts.last ?? [])
    for line in parts.dropLast().map({ String(decoding: $0, as: UTF8.self) }) {
      lines.append(line)
      guard let outcome = Life.Outcome(lines: lines), let order = orders.popFirst() else {
        continue
      }
      runs.append((order, outcome))
      lines = []
    }
    return runs
  }

  /// The seeds that are left are not run.
  func stop() {
    kill(process, SIGKILL)
    orders = []
    _ = close()
  }

  /// The status with which the process ended.
  private func close() -> Int32 {
    Foundation.close(file)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return status
  }
}

// MARK: In the process itself

extension Beginning {
  private static func live(
    _ orders: [Life.Order], _ patience: UInt32, writingTo file: Int32
  ) {
    guard let first = orders.first else { return }
    // The number of steps ends a run that goes on; one that hangs within a step ends by this, and is a failure.
    alarm(patience)
    if first.isQuiet { beQuiet() }
    let world = Life.begun(first)
    for order in orders {
      let process = simulation_fork()
      if process == 0 {
        alarm(patience)
        send(Life.outcome(of: world, order).text, to: file)
        _exit(0)
      }
      // The seed ends first if it hangs, and the others are run.
      alarm(patience + 30)
      var status: Int32 = 0
      waitpid(process, &status, 0)
      if status != 0 {
        let deeds = world.deedCount(of: order.seed)
        send("\n" + Life.Outcome(endedWith: status, deeds: deeds).text, to: file)
      }
      alarm(patience)
    }
  }

  /// What Swift says of a trap takes seconds.
  private static func beQuiet() {
    for trap in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] { signal(trap, SIG_DFL) }
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO)
  }

  private static func send(_ text: String, to file: Int32) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count <= 0 { break }
      sent += count
    }
  }
}
