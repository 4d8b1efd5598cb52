// One run: from a seed to what was wrong.

import CSimulation
import Foundation

enum Life {
  struct Order: Sendable {
    var seed: UInt64
    var keep: [Int]?
    var planted: Planted?
    var isVerbose = false

    /// What repeats the run.
    var line: String {
      "brume-simulate --seed \(seed)"
        + (keep.map { " --keep " + $0.map(String.init).joined(separator: ",") } ?? "")
        + (planted.map { " --planted \($0.rawValue)" } ?? "")
    }
  }

  struct Outcome: Sendable {
    var failures: [String] = []
    var isCrash = false
    var deeds = 0
    var commits = 0
    var steps: UInt64 = 0
    var trace: UInt64 = 0

    /// As it goes from process to process.
    var text: String {
      (["\(deeds) \(commits) \(steps) \(trace)"]
        + failures.map { $0.replacingOccurrences(of: "\n", with: " ") }).joined(separator: "\n")
        + "\n."
    }
  }

  /// Ours: steps after which a run counts as one without an end.
  private static let mostSteps: UInt64 = 2_000_000

  static func outcome(_ order: Order) -> Outcome {
    simulation_begin(order.seed)
    let world = World(order)
    Task { await world.live() }
    while !world.hasEnded {
      if !simulation_step() {
        world.fail("nobody has anything to do, and the run has not ended")
        break
      }
      if simulation_steps() > mostSteps {
        world.fail("no end after \(mostSteps) steps")
        break
      }
    }
    return Outcome(
      failures: world.failures, deeds: world.deedCount, commits: world.disk.commits,
      steps: simulation_steps(), trace: simulation_trace())
  }
}

extension Life.Outcome {
  /// Nil if it is cut off.
  init?(text: String) {
    var lines = text.split(separator: "\n").map(String.init)
    guard lines.popLast() == ".", let numbers = lines.first?.split(separator: " "),
      numbers.count == 4
    else { return nil }
    failures = Array(lines.dropFirst())
    deeds = Int(numbers[0]) ?? 0
    commits = Int(numbers[1]) ?? 0
    steps = UInt64(numbers[2]) ?? 0
    trace = UInt64(numbers[3]) ?? 0
  }
}
