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

  static func run(_ brume: String, _ server: Server, isTiny: Bool) throws {
    let save = try save(server)
    let reference = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "ReferenceMatcher").path
    let sizes = isTiny ? [1_000] : [1_000, 10_000, 100_000, 1_000_000]
    for shape in ["eq", "range", "tag", "mix"] {
      for size in sizes {
        for values in Set([min(1_000, size), size / 2]).sorted() {
          let median = try compare(brume, reference, shape, size, values)
          BrumeBench.show(
            String(
              format: "    400 of them are %.1f %% of saving 400 records (must 25, aim 10)",
              400 * median / save * 100))
        }
      }
    }
  }

  private static func compare(
    _ brume: String, _ reference: String, _ shape: String, _ size: Int, _ values: Int
  ) throws -> Double {
    let text = try output(
      brume, "bench", "matching", "--json", "--shape", shape, "--subscriptions", "\(size)",
      "--values", "\(values)")
    guard
      let rows = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]],
      let row = rows.first, let median = (row["medianMicroseconds"] as? NSNumber)?.doubleValue,
      let least = Double(
        try output(reference, shape, "\(size)", "\(values)")
          .trimmingCharacters(in: .whitespacesAndNewlines))
    else { throw BenchError("brume bench matching gave no figures") }
    func figure(_ key: String) -> Double { (row[key] as? NSNumber)?.doubleValue ?? .nan }
    BrumeBench.show(
      String(
        format: "  match %@, %d subscriptions, %d values: %.2f µs for %.0f matches, "
          + "reference %.2f µs, ratio %.1f (aim 10); insert %.2f µs, %.0f bytes each",
        shape, size, values, median, figure("matches"), least, median / max(least, 0.001),
        figure("insertMicroseconds"), figure("bytesPerSubscription")))
    return median
  }

  private static func output(_ program: String, _ arguments: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
