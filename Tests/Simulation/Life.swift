// One run: from a seed to what was wrong.

import CSimulation
import Foundation

enum Life {
  struct Order: Sendable {
    var seed: UInt64
    var keep: [Int]?
    var planted: Planted?
    var isVerbose = false
    /// A trap prints nothing: it was seen before, or is planted.
    var isQuiet = false

    /// What repeats the run.
    var line: String {
      "brume-simulate --seed \(seed)"
        + (keep.map { " --keep " + Self.text($0) } ?? "")
        + (planted.map { " --planted \($0.rawValue)" } ?? "")
    }

    private static func text(_ deeds: [Int]) -> String {
      deeds.isEmpty ? "none" : deeds.map(String.init).joined(separator: ",")
    }
  }

  struct Outcome: Sendable, Equatable {
    var failures: [String] = []
    var isCrash = false
    /// It took longer than anybody waits.
    var isHang = false
    var deeds = 0
    var commits = 0
    var steps: UInt64 = 0
    var trace: UInt64 = 0
  }

  /// Ours: steps after which a run counts as one without an end.
  private static let mostSteps: UInt64 = 2_000_000

  /// A world in which everybody has begun and nothing has gone wrong yet. It is the same for all seeds that begin alike.
  static func begun(_ order: Order) -> World {
    simulation_begin(Beginning.number(of: order.seed))
    let world = World(order)
    Task { await world.begin() }
    step(world) { world.hasBegun }
    return world
  }

  /// A run, from such a world on.
  static func outcome(of world: World, _ order: Order) -> Outcome {
    simulation_draw(order.seed)
    world.goOn(with: order)
    Task { await world.live() }
    step(world) { false }
    return Outcome(
      failures: world.failures, deeds: world.deedCount(of: order.seed), commits: world.disk.commits,
      steps: simulation_steps(), trace: simulation_trace())
  }

  /// Goes on until something is so, or the run has ended.
  private static func step(_ world: World, until isSo: () -> Bool) {
    while !world.hasEnded, !isSo() {
      if !simulation_step() {
        return world.fail("nobody has anything to do, and the run has not ended")
      }
      if simulation_steps() > mostSteps { return world.fail("no end after \(mostSteps) steps") }
    }
  }
}

// MARK: As it goes from process to process

extension Life.Outcome {
  /// The run's process ended by itself.
  /// - Parameter deeds: how many the run had; none if it had not begun.
  init(endedWith status: Int32, deeds: Int = 0) {
    let signal = status & 0x7f
    failures = [
      signal == 0
        ? "the process ended by itself, status \(status >> 8)"
        : "the process was ended by the signal \(signal) (\(String(cString: strsignal(signal))))"
    ]
    isCrash = true
    isHang = signal == SIGALRM
    self.deeds = deeds
  }

  /// Lines, of which the last is a point.
  var text: String {
    let numbers = "\(isHang ? 2 : isCrash ? 1 : 0) \(deeds) \(commits) \(steps) \(trace)"
    let texts = failures.map { $0.replacingOccurrences(of: "\n", with: " ") }
    return ([numbers] + texts + [".", ""]).joined(separator: "\n")
  }

  /// Nil while it is not whole. What a run had written when its process ended stands before its end, and does not count.
  init?(lines: [String]) {
    guard lines.last == "." else { return nil }
    let begin = lines.lastIndex { $0.isEmpty }.map { $0 + 1 } ?? 0
    let numbers = lines[begin].split(separator: " ").compactMap { UInt64($0) }
    guard numbers.count == 5 else { return nil }
    failures = Array(lines[(begin + 1)...].dropLast())
    (isCrash, isHang) = (numbers[0] > 0, numbers[0] == 2)
    (deeds, commits) = (Int(numbers[1]), Int(numbers[2]))
    (steps, trace) = (numbers[3], numbers[4])
  }
}
