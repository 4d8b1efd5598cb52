// How cost grows: one zone with searched fields at 10 thousand, 100 thousand and a million records. Each
// figure is taken with the files in the page cache and again after they were dropped from it. The server's
// own caches (4 MB a reader, 32 MB the writer) are as they are.

import Foundation

struct Growth {
  let server: Server
  let folder: String
  let table: Table
  let isTiny: Bool

  private var sizes: [Int] { isTiny ? [400, 800, 1_200] : [10_000, 100_000, 1_000_000] }
  private static let batch = 200

  func run() throws {
    let connection = try server.connect()
    for zone in [GrowthBodies.zone, GrowthBodies.plainZone] {
      _ = try connection.request("POST", server.path("zones/modify"), Bodies.createZone(zone))
    }
    try save(connection, 0..<1, zone: GrowthBodies.zone)
    // Queries make a field a searched one.
    for body in GrowthBodies.searches(group: 0) { try query(connection, body) }
    var (count, tokens) = (1, Tokens())
    for size in sizes {
      let old = count
      try load(connection, from: &count, to: size)
      try tokens.collect(connection, server, most: min(1000, size / 100))
      try settle(connection)
      for isCached in [true, false] {
        try measure(connection, size, old..<size, tokens.all, isCached, &count)
      }
    }
    try IndexBuilding(server: server, table: table, isTiny: isTiny).run(connection, records: count)
  }

  // MARK: Loading

  /// Records with searched fields and without in turns, so that both meet the same machine.
  private func load(_ connection: Connection, from count: inout Int, to size: Int) throws {
    let (start, plainCount) = (count, max(Self.batch, min(size - count, 20_000) / 5))
    var (searched, plain) = (Duration.zero, Duration.zero)
    for round in 1...5 {
      let end = start + (size - start) * round / 5
      searched += try time(connection, count..<end, zone: GrowthBodies.zone)
      count = end
      let plainStart = size * 10 + round * plainCount
      plain += try time(
        connection, plainStart..<plainStart + plainCount, zone: GrowthBodies.plainZone)
    }
    let rate = Double(size - start) / searched.asSeconds
    let plainRate = Double(5 * plainCount) / plain.asSeconds
    table.add(
      Row(
        name: "loading, \(start) to \(size) records", ours: Self.text(rate, "records/s"),
        baseline: Self.text(plainRate, "without searched fields"),
        ratio: String(format: "%.2f", rate / plainRate),
        verdict: Bound(must: 0.45, aim: 0.6).verdict(rate / plainRate)))
  }

  /// How long the server takes for the batches; what it costs to write them is not counted.
  private func time(
    _ connection: Connection, _ numbers: Range<Int>, zone: String
  ) throws -> Duration {
    var spent = Duration.zero
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: Self.batch) {
      let end = min(start + Self.batch, numbers.upperBound)
      let body = GrowthBodies.save(start..<end, zone: zone)
      spent += try ContinuousClock().measure {
        _ = try connection.request("POST", server.path("records/modify"), body)
      }
    }
    return spent
  }

  private func save(_ connection: Connection, _ numbers: Range<Int>, zone: String) throws {
    _ = try connection.request(
      "POST", server.path("records/modify"), GrowthBodies.save(numbers, zone: zone))
  }

  // MARK: What is asked

  private func query(_ connection: Connection, _ body: [UInt8]) throws {
    _ = try connection.request("POST", server.path("records/query"), body)
  }

  /// The first query after a load waits for what the index left for later.
  private func settle(_ connection: Connection) throws {
    for _ in 0..<3 {
      for body in GrowthBodies.searches(group: 1) { try query(connection, body) }
    }
  }

  private func measure(
    _ connection: Connection, _ size: Int, _ newest: Range<Int>, _ tokens: [String],
    _ isCached: Bool, _ count: inout Int
  ) throws {
    let state = "\(size) records, files " + (isCached ? "in the page cache" : "dropped from it")
    let groups = (0..<200).map { _ in GrowthBodies.group(Int.random(in: newest)) }
    let kinds = ["equality", "range with a sort", "words"]
    for (index, name) in kinds.enumerated() {
      try row("\(name), \(state)", isCached) {
        let group = groups.randomElement() ?? 0
        try query(connection, GrowthBodies.searches(group: group)[index])
      }
    }
    try row("page of 100 changes, \(state)", isCached) {
      let body = Bodies.changes(
        zone: GrowthBodies.zone, token: tokens.randomElement(), limit: 100)
      _ = try connection.request("POST", server.path("changes/zone"), body)
    }
    // Names are new ones; the numbers above the size are given again at the next.
    var next = size * 20 + (isCached ? 0 : 10_000)
    try row("save of 1 record, \(state)", isCached) {
      try save(connection, next..<next + 1, zone: GrowthBodies.zone)
      next += 1
    }
    try row("save of 200 records, \(state)", isCached) {
      try save(connection, next..<next + Self.batch, zone: GrowthBodies.zone)
      next += Self.batch
    }
  }

  /// The median and the 99th percentile of calls, one after the other.
  private func row(_ name: String, _ isCached: Bool, _ call: () throws -> Void) throws {
    if isCached {
      try PageCache.fill(folder)
      for _ in 0..<5 { try call() }
    }
    var times: [Double] = []
    for _ in 0..<(isTiny ? 3 : isCached ? 200 : 30) {
      if !isCached { try PageCache.drop(folder) }
      times.append(try ContinuousClock().measure(call).asSeconds * 1000)
    }
    table.add(
      Row(
        name: name,
        ours: String(
          format: "%.2f ms, p99 %.2f", times.percentile(50), times.percentile(99))))
  }

  private static func text(_ rate: Double, _ unit: String) -> String {
    String(format: "%.0f %@", rate, unit)
  }
}

/// Places in the feed of the zone, as it grows.
private struct Tokens {
  private(set) var all: [String] = []
  private var last: String?

  mutating func collect(_ connection: Connection, _ server: Server, most: Int) throws {
    for _ in 0...most {
      let body = Bodies.changes(zone: GrowthBodies.zone, token: last, limit: 200)
      let page = try connection.request("POST", server.path("changes/zone"), body)
      guard let token = Bodies.string("syncToken", in: page), token != last else { return }
      last = token
      all.append(token)
    }
  }
}
