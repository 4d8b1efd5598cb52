// Finding subscriptions, beside the least it can cost.

import Foundation

enum Matching {
  /// Microseconds for saving 400 records over HTTP, the median of a few.
  private static func save(_ server: Server) throws -> Double {
    let connection = try server.connect()
    _ = try connection.request("POST", server.path("zones/modify"), Bodies.createZone("match"))
    let times = try (0..<7).map { _ in
      let bodies = [Bodies.save(200, zone: "match"), Bodies.save(200, zone: "match")]
      let start = ContinuousClock.now
      for body in bodies {
        _ = try connection.request("POST", server.path("records/modify"), body)
      }
      return start.duration(to: .now).asSeconds * 1e6
    }
    return times.sorted()[3]
  }

  static func run(_ brume: String, _ server: Server, _ table: Table, isTiny: Bool) throws {
    let save = try save(server)
    let reference = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "ReferenceMatcher").path
    guard FileManager.default.isExecutableFile(atPath: reference) else {
      throw BenchError("the reference matcher is not built; 'swift build' in Benchmarks builds it")
    }
    let sizes = isTiny ? [1_000] : [1_000, 10_000, 100_000, 1_000_000]
    for shape in ["eq", "range", "tag", "mix"] {
      for size in sizes {
        for values in Set([min(1_000, size), size / 2]).sorted() {
          let median = try compare(brume, reference, table, shape, size, values)
          let share = 400 * median / save * 100
          table.add(
            Row(
              name: "  400 of them beside saving 400 records",
              ours: String(format: "%.1f %%", share),
              verdict: Bound(must: 25, aim: 10).verdict(atMost: share)))
        }
      }
    }
  }

  private static func compare(
    _ brume: String, _ reference: String, _ table: Table, _ shape: String, _ size: Int,
    _ values: Int
  ) throws -> Double {
    let text = try Programs.output(
      brume,
      [
        "bench", "matching", "--json", "--shape", shape, "--subscriptions", "\(size)", "--values",
        "\(values)",
      ])
    guard
      let rows = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]],
      let row = rows.first, let median = (row["medianMicroseconds"] as? NSNumber)?.doubleValue,
      let least = Double(
        try Programs.output(reference, [shape, "\(size)", "\(values)"])
          .trimmingCharacters(in: .whitespacesAndNewlines))
    else { throw BenchError("brume bench matching gave no figures") }
    func figure(_ key: String) -> Double { (row[key] as? NSNumber)?.doubleValue ?? .nan }
    let ratio = median / max(least, 0.001)
    table.add(
      Row(
        name: "match \(shape), \(size) subscriptions, \(values) values",
        ours: String(format: "%.2f µs, %.0f matches", median, figure("matches")),
        baseline: String(format: "reference %.2f µs", least), ratio: String(format: "%.1f", ratio),
        verdict: (ratio <= 10 ? "aim met" : "above aim")
          + String(
            format: " (aim 10); insert %.2f µs, %.0f bytes each", figure("insertMicroseconds"),
            figure("bytesPerSubscription"))))
    return median
  }
}
