// Saves and pages of changes, in turns with raw SQLite on the same disk.

import Foundation

struct Storage {
  let server: Server
  let raw: RawSQLite
  let table: Table

  func writes(_ seconds: Double) throws {
    let (connection, modify) = (try server.connect(), server.path("records/modify"))
    _ = try connection.request("POST", server.path("zones/modify"), Bodies.createZone("one"))
    try alternating(
      "save 1 record, 1 connection", "saves/s", Bound(must: 0.36, aim: 0.45),
      { try rate(seconds: seconds / 5) { try raw.save(1) } },
      {
        try rate(seconds: seconds / 5, preparing: { Bodies.save(1, zone: "one") }) {
          _ = try connection.request("POST", modify, $0)
        }
      })
    try alternating(
      "save 1 record, 16 connections, 16 zones", "saves/s", Bound(must: 1.25, aim: 1.6),
      { try rate(seconds: seconds / 5) { try raw.save(1) } },
      {
        try rate(seconds: seconds / 5, threads: 16) { [server] index in
          let connection = try server.connect()
          let zone = "zone\(index)"
          _ = try connection.request("POST", server.path("zones/modify"), Bodies.createZone(zone))
          return { _ = try connection.request("POST", modify, Bodies.save(1, zone: zone)) }
        }
      })
    try alternating(
      "save 200 records a request", "records/s", Bound(must: 0.35, aim: 0.5),
      { try 200 * rate(seconds: seconds / 5) { try raw.save(200) } },
      {
        try 200
          * rate(seconds: seconds / 5, preparing: { Bodies.save(200, zone: "one") }) {
            _ = try connection.request("POST", modify, $0)
          }
      })
  }

  /// Baseline and server in turns, five times; reports the medians, of the ratios too.
  private func alternating(
    _ what: String, _ unit: String, _ bound: Bound, _ baseline: () throws -> Double,
    _ ours: () throws -> Double
  ) throws {
    let rounds = try (0..<5).map { _ in (raw: try baseline(), ours: try ours()) }
    report(
      what, rounds.map(\.ours).percentile(50), unit, rounds.map(\.raw).percentile(50),
      ratio: rounds.map { $0.ours / $0.raw }.percentile(50), bound)
  }

  private func report(
    _ what: String, _ value: Double, _ unit: String, _ baseline: Double, ratio: Double,
    _ bound: Bound
  ) {
    table.add(
      Row(
        name: what, ours: String(format: "%.0f %@", value, unit),
        baseline: String(format: "raw SQLite %.0f", baseline),
        ratio: String(format: "%.2f", ratio), verdict: bound.verdict(ratio)))
  }

  func reads(_ seconds: Double, records: Int) throws {
    let (connection, fetch) = (try server.connect(), server.path("changes/zone"))
    _ = try connection.request("POST", server.path("zones/modify"), Bodies.createZone("big"))
    for _ in 0..<records / 200 {
      _ = try connection.request(
        "POST", server.path("records/modify"), Bodies.save(200, zone: "big"))
      // A page of the baseline needs rows to read, whichever parts were chosen.
      try raw.save(200)
    }
    memory("server memory after \(records) records", Bound(must: 100))
    let start = ContinuousClock.now
    var tokens: [String] = []
    var token: String?
    for _ in 0..<records / 200 {
      let page = try connection.request(
        "POST", fetch, Bodies.changes(zone: "big", token: token, limit: 200))
      token = Bodies.string("syncToken", in: page)
      if let token { tokens.append(token) }
    }
    let full = Double(records) / start.duration(to: .now).asSeconds
    table.add(
      Row(name: "first full fetch of \(records)", ours: String(format: "%.0f records/s", full)))
    let rawPages = rate(seconds: seconds) { _ = raw.page() }
    let pages = try rate(seconds: seconds) {
      let body = Bodies.changes(zone: "big", token: tokens.randomElement(), limit: 100)
      _ = try connection.request("POST", fetch, body)
    }
    report(
      "page of 100 changes out of \(records)", pages, "pages/s", rawPages, ratio: pages / rawPages,
      Bound(must: 0.11, aim: 0.15))
    memory("server memory after reading")
  }

  private func memory(_ what: String, _ bound: Bound? = nil) {
    let used = server.residentMemory
    table.add(
      Row(
        name: what, ours: "\(used) MB", verdict: bound?.verdict(atMost: Double(used)) ?? ""))
  }
}
