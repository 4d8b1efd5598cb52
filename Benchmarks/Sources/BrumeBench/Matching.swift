// Finding subscriptions, beside the least it can cost.

import Foundation

enum Matching {
  static func run(_ brume: String, isTiny: Bool) throws {
    let reference = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "ReferenceMatcher").path
    let sizes = isTiny ? [1_000] : [10_000, 1_000_000]
    for shape in ["eq", "range", "tag", "mix"] {
      for size in sizes {
        for values in Set([min(1_000, size), size / 2]).sorted() {
          try compare(brume, reference, shape, size, values)
        }
      }
    }
  }

  private static func compare(
    _ brume: String, _ reference: String, _ shape: String, _ size: Int, _ values: Int
  ) throws {
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
