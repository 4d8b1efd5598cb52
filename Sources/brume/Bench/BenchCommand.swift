// brume bench: how fast parts of this very binary are, without a server. `make bench` sets these
// figures beside baselines; here they come as data.

import ArgumentParser
import BrumeWire

struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure parts of this program.",
    subcommands: [Matching.self, APNs.self])

  struct Matching: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "How long finding the subscriptions of a change takes.",
      discussion: """
        Without options all shapes are measured at all sizes. 'matches' is the mean per change; \
        times are microseconds; memory is what became resident while the index was filled.
        """)
    @Option(
      help: ArgumentHelp(
        "Which conditions: "
          + MatchingBench.Shape.allCases.map(\.rawValue).joined(separator: ", ") + "."))
    var shape: MatchingBench.Shape?
    @Option(help: "How many subscriptions.") var subscriptions: Int?
    @Option(help: "How many different values their conditions have; 1000 if not said.")
    var values: Int?
    @Flag(help: "Print a JSON array.") var json = false

    func validate() throws {
      guard (subscriptions ?? 1) > 0, (values ?? 1) > 0 else {
        throw ValidationError("--subscriptions and --values must be at least 1")
      }
    }

    func run() throws {
      var rows: [MatchingBench.Row] = []
      for plan in plans {
        rows.append(MatchingBench.run(plan))
        if !json, let row = rows.last { Output.say("\(row.shape) \(row.subscriptions) done") }
      }
      if json {
        Output.line(JSON.array(rows.map(\.json)).bytes())
      } else {
        Output.table([MatchingBench.Row.titles] + rows.map(\.cells))
      }
    }

    private var plans: [MatchingBench.Plan] {
      let sizes = subscriptions.map { [$0] } ?? [1_000, 10_000, 100_000, 1_000_000]
      return (shape.map { [$0] } ?? MatchingBench.Shape.allCases).flatMap { shape in
        sizes.flatMap { size -> [MatchingBench.Plan] in
          let distinct = values.map { [$0] } ?? Array(Set([min(1_000, size), max(1, size / 2)]))
          return distinct.sorted().map {
            MatchingBench.Plan(shape: shape, subscriptions: size, distinctValues: $0)
          }
        }
      }
    }
  }
}

extension MatchingBench.Shape: ExpressibleByArgument {}

extension MatchingBench.Row {
  static let titles = [
    "shape", "subscriptions", "values", "matches", "median µs", "p95 µs", "insert µs",
    "bytes/subscription",
  ]
  var cells: [String] {
    [
      shape.rawValue, "\(subscriptions)", "\(distinctValues)", Self.text(matches),
      Self.text(median), Self.text(p95), Self.text(insert), "\(bytes)",
    ]
  }
  var json: JSON {
    [
      "shape": .string(shape.rawValue), "subscriptions": .int(Int64(subscriptions)),
      "distinctValues": .int(Int64(distinctValues)), "matches": .double(matches),
      "medianMicroseconds": .double(median), "p95Microseconds": .double(p95),
      "insertMicroseconds": .double(insert), "bytesPerSubscription": .int(Int64(bytes)),
    ]
  }
  private static func text(_ value: Double) -> String {
    let hundredths = Int64((value * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }
}
