// Saves while the server builds the index of a field that nobody had searched: beside it the slowest of a hundred may take
// three times as long as alone.

import Foundation

struct IndexBuilding {
  let server: Server
  let table: Table
  let isTiny: Bool
  private static let longestSeconds = 900.0

  /// - Parameter records: of the zone.
  func run(_ connection: Connection, records: Int) throws {
    // Names that no other part gives.
    var next = records * 40
    let alone = try saves(connection, &next, seconds: isTiny ? 0.2 : 10) { true }
    let start = ContinuousClock.now
    _ = try connection.request("POST", server.path("records/query"), GrowthBodies.newSearch)
    let looking = try server.connect()
    let beside = try saves(connection, &next, seconds: Self.longestSeconds) {
      try isBuilding(looking)
    }
    guard try !isBuilding(looking) else {
      throw BenchError("the index was not built within \(Int(Self.longestSeconds)) s")
    }
    report(records, start.duration(to: .now).asSeconds, beside: beside, alone: alone)
  }

  /// Milliseconds of each save, one after the other, for so long and while it is so.
  private func saves(
    _ connection: Connection, _ next: inout Int, seconds: Double, while isSo: () throws -> Bool
  ) throws -> [Double] {
    let (start, path) = (ContinuousClock.now, server.path("records/modify"))
    var times: [Double] = []
    // One look for every twenty saves, which it is not counted with.
    while start.duration(to: .now).asSeconds < seconds, try isSo() {
      for _ in 0..<20 {
        let body = GrowthBodies.save(next..<next + 1, zone: GrowthBodies.zone)
        next += 1
        times.append(
          try ContinuousClock().measure { _ = try connection.request("POST", path, body) }.asSeconds
            * 1000)
      }
    }
    return times
  }

  private func isBuilding(_ connection: Connection) throws -> Bool {
    let text = String(
      decoding: try connection.request("GET", "/_brume/metrics"), as: UTF8.self)
    let line = text.split(separator: "\n").first {
      $0.hasPrefix("brume_index_fields_unfinished ")
    }
    guard let line else { throw BenchError("the server has no metric of unfinished indexes") }
    return !line.hasSuffix(" 0")
  }

  private func report(_ records: Int, _ seconds: Double, beside: [Double], alone: [Double]) {
    let what = "save beside the building of an index of \(records) records, p99"
    let (p99, usual) = (beside.percentile(99), alone.percentile(99))
    guard !beside.isEmpty else {
      return table.add(Row(name: what, ours: "it was built before a save came"))
    }
    table.add(
      Row(
        name: what,
        ours: String(format: "%.2f ms of %d saves in %.1f s", p99, beside.count, seconds),
        baseline: String(format: "alone %.2f ms", usual),
        ratio: String(format: "%.1f", p99 / max(usual, 0.001)),
        verdict: Bound(must: 3).verdict(atMost: p99 / max(usual, 0.001))))
  }
}
