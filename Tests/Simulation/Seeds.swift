// Many seeds, and what is said of them.

import CSimulation
import Foundation

struct Seeds {
  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// Answers the program's status.
  func run() -> Int32 {
    if arguments.isControl { return Controls(arguments).run() }
    let begin = Self.seconds()
    var (ran, failed, steps, commits) = (UInt64(0), 0, UInt64(0), 0)
    var running: [Child] = []
    var next = arguments.first
    let end = arguments.first + arguments.count
    while true {
      let mayGoOn = arguments.seconds.map { Self.seconds() - begin < $0 } ?? true
      if next < end, mayGoOn, running.count < max(1, arguments.jobs) {
        running.append(Child(order(next)))
        next += 1
        continue
      }
      if running.isEmpty { break }
      let child = running.removeFirst()
      let outcome = child.outcome()
      ran += 1
      steps += outcome.steps
      commits += outcome.commits
      if !isWell(outcome, child.order) { failed += 1 }
    }
    let time = Self.seconds() - begin
    let rate = String(format: "%.1f", Double(ran) / max(time, 0.001))
    print(
      "\(ran) seeds, \(failed) failed; \(steps) steps, \(commits) commits in "
        + "\(Int(time)) s (\(rate) seeds a second)")
    return failed == 0 ? 0 : 1
  }

  private func order(_ seed: UInt64) -> Life.Order {
    Life.Order(
      seed: seed, keep: arguments.keep, planted: arguments.planted, isVerbose: arguments.isVerbose)
  }

  private func isWell(_ outcome: Life.Outcome, _ order: Life.Order) -> Bool {
    if arguments.checksRepeats {
      let again = Child(order).outcome()
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
    let least = arguments.shrinks ? Shrinking.least(of: order, outcome) : order
    print(least.line)
    return false
  }

  static func seconds() -> Double {
    // Not the process's own clock, which a run has set.
    let text = try? String(contentsOfFile: "/proc/uptime", encoding: .utf8)
    return text.flatMap { Double($0.prefix { $0 != " " }) } ?? 0
  }
}
