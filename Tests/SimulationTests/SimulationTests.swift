// The simulation is a program of its own, because it takes over its process; here it is run. What it does is
// in docs/internals/simulation.md.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct SimulationTests {
  @Test func `the same seed makes every choice again, in the same process and in another`() throws {
    #expect(try Simulation.run("--first", "1", "--seeds", "3", "--repeats").status == 0)
    let traces = try (0..<2).map { _ in
      let output = try Simulation.run("--seed", "7", "--verbose").output
      return try #require(output.split(separator: "\n").last { $0.hasPrefix("trace ") })
    }
    #expect(traces[0] == traces[1])
  }

  @Test func `other seeds make other choices`() throws {
    let traces = try ["7", "8"].map { seed in
      let output = try Simulation.run("--seed", seed, "--verbose").output
      return try #require(output.split(separator: "\n").last { $0.hasPrefix("trace ") })
    }
    #expect(traces[0] != traces[1])
  }

  @Test(.disabled(if: Simulation.isRunApart, "'make simulate' searches for them"))
  func `every planted fault is found`() throws {
    let found = try Simulation.run("--controls")
    #expect(found.status == 0, "\(found.output)")
    #expect(found.output.split(separator: "\n").count == 42)
  }

  @Test func `a seed that fails prints a line with fewer deeds, which fails again`() throws {
    let found = try Simulation.run("--seed", "1", "--planted", "skipped-change")
    #expect(found.status == 1)
    let line = try #require(found.output.split(separator: "\n").last { $0.contains("--keep") })
    let words = line.split(separator: " ").dropFirst().map(String.init)
    #expect(try Simulation.run(words + ["--no-shrink"]).status == 1)
  }

  @Test func `a seed that traps prints a line with fewer deeds, which traps again`() throws {
    let words = try Simulation.leastTrap()
    // To make a record, to learn of it, and to fetch once more, with what decides who does so first: of dozens of deeds.
    #expect(words[3].split(separator: ",").count <= 8, "\(words)")
    let again = try Simulation.run(words + ["--no-shrink"])
    #expect(again.status == 1)
    #expect(again.output.contains("was ended by the signal"), "\(again.output)")
  }

  @Test func `a seed that hangs prints a line with fewer deeds, which hangs again`() throws {
    // Both faults come with the same deeds, and a trap takes no time.
    let trap = try Simulation.leastTrap()
    let kept = trap[3].split(separator: ",").compactMap { Int($0) }
    let more = Set(kept + [0, 1]).sorted()
    let hang = trap.prefix(2) + ["--planted", "endless-step", "--patience", "3"]
    let keep = ["--keep", more.map(String.init).joined(separator: ",")]
    let found = try Simulation.run(Array(hang + keep))
    #expect(found.status == 1)
    let line = try #require(found.output.split(separator: "\n").last { $0.contains("--keep") })
    let least = line.split(separator: " ").dropFirst().map(String.init)
    #expect(least[3].split(separator: ",").count < more.count, "\(line)")
    let again = try Simulation.run(Array(hang + least[2...3] + ["--no-shrink"]))
    #expect(again.status == 1)
    #expect(again.output.contains("Alarm clock"), "\(again.output)")
  }

  @Test func `a seed that still hangs when the time is over is named, and its process ends`() throws
  {
    let hang = ["--planted", "endless-step", "--first", "1", "--seeds", "40"]
    let found = try Simulation.run(hang + ["--seconds", "3"])
    #expect(found.status == 1)
    #expect(found.output.contains("has not ended"), "\(found.output)")
  }

  @Test func `seeds that there was no time for are a failure, though all others are well`()
    throws
  {
    let found = try Simulation.run("--first", "1", "--seeds", "5000", "--seconds", "0.2")
    #expect(found.status == 1)
    #expect(found.output.contains(" seeds were not run"), "\(found.output)")
    #expect(try Simulation.run("--seconds", "0").status == 1)
    #expect(try Simulation.run("--seeds", "0").status == 2)
  }

  @Test func `the line of a seed that fails without any deed can be run too`() throws {
    #expect(try Simulation.run("--seed", "1", "--keep", "none").status == 0)
    #expect(try Simulation.run("--seed", "1", "--keep", "x").status == 2)
  }

  @Test func `who says only for how long gets as many seeds as fit`() throws {
    let found = try Simulation.run("--seconds", "0.2")
    #expect(found.status == 0, "\(found.output)")
    #expect(found.output.contains(" seeds, 0 failed"), "\(found.output)")
  }

  @Test func `no seed of the first thirty finds anything`() throws {
    let found = try Simulation.run("--first", "1", "--seeds", "30")
    #expect(found.status == 0, "\(found.output)")
  }
}

private enum Simulation {
  /// Whether whoever runs the tests runs the optimised simulation afterwards, as `.ci/run` does.
  static let isRunApart = ProcessInfo.processInfo.environment["SIMULATES_APART"] != nil

  /// Beside the test bundle.
  static let path: String = {
    let bundle = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let candidates = [bundle, URL(filePath: ".build/debug")].map {
      $0.appending(path: "brume-simulate").path
    }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
  }()

  /// The words with which a seed traps, and its fewest deeds among them.
  static func leastTrap() throws -> [String] {
    let trap = ["--planted", "sudden-trap"]
    let many = try run(["--first", "1", "--seeds", "40", "--no-shrink"] + trap)
    let first = try #require(many.output.split(separator: "\n").first { $0.contains("--seed") })
    let seed = Array(first.split(separator: " ").dropFirst().prefix(2).map(String.init))
    let found = try run(seed + trap)
    #expect(found.status == 1)
    let line = try #require(found.output.split(separator: "\n").last { $0.contains("--keep") })
    return line.split(separator: " ").dropFirst().map(String.init)
  }

  static func run(_ arguments: String...) throws -> (status: Int32, output: String) {
    try run(arguments)
  }

  static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let (child, output) = (Process(), Pipe())
    child.executableURL = URL(filePath: path)
    child.arguments = arguments
    child.standardOutput = output
    try child.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    child.waitUntilExit()
    return (child.terminationStatus, String(decoding: bytes, as: UTF8.self))
  }
}
