// Many seeds, and what is said of them.

import CSimulation
import Foundation

struct Seeds {
  /// Seconds.
  private static let saysAgain = 60.0

  let arguments: Arguments

  private struct Sums {
    var ran = 0
    var failed = 0
    var steps: UInt64 = 0
    var commits = 0
    /// Of the traces of all runs, in whichever order they ended.
    var trace: UInt64 = 0
  }

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// Answers the program's status.
  func run() -> Int32 {
    if arguments.isControl { return Controls(arguments).run() }
    let begin = Self.seconds()
    var sums = Sums()
    var running: [Beginning] = []
    var said = begin
    var parts = Beginning.parts(of: seeds).makeIterator()
    while true {
      let isTimeOver = arguments.seconds.map { Self.seconds() - begin >= $0 } ?? false
      if !isTimeOver, running.count < max(1, arguments.jobs), let part = parts.next() {
        running.append(Beginning(part.map(order), patience: arguments.patience))
        continue
      }
      if running.isEmpty { break }
      if isTimeOver, arguments.count != nil {
        // They were asked for in this time, and it has failed.
        for beginning in running {
          // It may be one that hangs.
          if let order = beginning.order {
            print("seed \(order.seed) has not ended\n\(order.line)")
          }
          beginning.stop()
        }
        break
      }
      for beginning in Self.ready(running) {
        for run in beginning.receive() { count(run, &sums) }
      }
      running.removeAll(where: \.isOver)
      if Self.seconds() - said >= Self.saysAgain {
        said = Self.seconds()
        say(sums, said - begin)
      }
    }
    return report(sums, Self.seconds() - begin)
  }

  private var seeds: Range<UInt64> {
    arguments.first..<(arguments.count.map { arguments.first + $0 } ?? .max)
  }

  /// Those that have something to say, once one of them has; none after a second.
  private static func ready(_ running: [Beginning]) -> [Beginning] {
    var files = running.map { pollfd(fd: $0.file, events: Int16(POLLIN), revents: 0) }
    poll(&files, nfds_t(files.count), 1000)
    return zip(running, files).filter { $1.revents != 0 }.map(\.0)
  }

  private func count(_ run: Beginning.Run, _ sums: inout Sums) {
    sums.ran += 1
    sums.steps += run.outcome.steps
    sums.commits += run.outcome.commits
    sums.trace ^= run.outcome.trace
    if !isWell(run.outcome, run.order) { sums.failed += 1 }
  }

  /// Whoever runs many sees that they go on.
  private func say(_ sums: Sums, _ time: Double) {
    let text = "\(sums.ran)\(asked) seeds, \(sums.failed) failed, after \(Int(time)) s\n"
    FileHandle.standardError.write(Data(text.utf8))
  }

  private var asked: String { arguments.count.map { " of \($0)" } ?? "" }

  private func report(_ sums: Sums, _ time: Double) -> Int32 {
    let rate = String(format: "%.1f", Double(sums.ran) / max(time, 0.001))
    print(
      "\(sums.ran)\(asked) seeds, \(sums.failed) failed; \(sums.steps) steps, "
        + "\(sums.commits) commits, traces \(String(sums.trace, radix: 16)) in \(Int(time)) s "
        + "(\(rate) seeds a second)")
    // What was not run has shown nothing.
    let missing = Int(arguments.count ?? 1) - sums.ran
    if missing > 0 { print("FAILED: the time was over, and \(missing) seeds were not run") }
    return sums.failed == 0 && missing <= 0 ? 0 : 1
  }

  private func order(_ seed: UInt64) -> Life.Order {
    Life.Order(
      seed: seed, keep: arguments.keep, planted: arguments.planted, isVerbose: arguments.isVerbose,
      isQuiet: arguments.planted?.isCrash == true)
  }

  private func isWell(_ outcome: Life.Outcome, _ order: Life.Order) -> Bool {
    if arguments.checksRepeats {
      let again = Beginning.outcome(of: order, patience: arguments.patience)
      if again.trace != outcome.trace {
        print("seed \(order.seed) is not repeated: \(outcome.trace), then \(again.trace)")
        return false
      }
    }
    if arguments.isVerbose { print("trace \(outcome.trace), \(outcome.steps) steps") }
    guard !outcome.failures.isEmpty else { return true }
    for failure in outcome.failures.prefix(arguments.isVerbose ? 100 : 5) {
      print("seed \(order.seed): \(failure)")
    }
    let least =
      arguments.shrinks
      ? Shrinking.least(of: order, outcome, patience: arguments.patience) : order
    print(least.line)
    return false
  }

  static func seconds() -> Double {
    // Not the process's own clock, which a run has set.
    let text = try? String(contentsOfFile: "/proc/uptime", encoding: .utf8)
    return text.flatMap { Double($0.prefix { $0 != " " }) } ?? 0
  }
}
