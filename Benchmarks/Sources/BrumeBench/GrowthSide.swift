// One build of the server in the growth benchmark: its zone as it grows, and what is asked of it. Where two builds are
// compared there are two of these, which are asked in turns.

import Foundation

final class GrowthSide {
  static let batch = 200

  let server: Server
  let folder: String
  private let connection: Connection
  /// Records of the zone with searched fields.
  private(set) var count = 0
  /// The number of the next record that measuring adds: far above those that are loaded, so that each name is new.
  private var next = 2_000_000_000
  private var tokens = Tokens()

  init(_ server: Server, folder: String) throws {
    self.server = server
    self.folder = folder
    connection = try server.connect()
    for zone in [GrowthBodies.zone, GrowthBodies.plainZone] {
      _ = try connection.request("POST", server.path("zones/modify"), Bodies.createZone(zone))
    }
    try save(0..<1, zone: GrowthBodies.zone)
    count = 1
    // Queries make a field a searched one.
    for body in GrowthBodies.searches(group: 0) { try query(body) }
  }

  // MARK: Loading

  /// A fifth of the way from `start` to `end`, and so many records without searched fields: both meet the same
  /// machine.
  func load(fifth round: Int, from start: Int, to end: Int, plain: Int) throws -> (
    searched: Duration, plain: Duration
  ) {
    let until = start + (end - start) * round / 5
    let searched = try time(count..<until, zone: GrowthBodies.zone)
    count = until
    let first = end * 10 + round * plain
    return (searched, try time(first..<first + plain, zone: GrowthBodies.plainZone))
  }

  /// Before measuring: places in the feed, and what the index left for later, for which the first query waits.
  func settle(_ size: Int) throws {
    try tokens.collect(connection, server, most: min(1000, size / 100))
    for _ in 0..<3 {
      for body in GrowthBodies.searches(group: 1) { try query(body) }
    }
  }

  /// How long the server takes for the batches; what it costs to write them is not counted.
  private func time(_ numbers: Range<Int>, zone: String) throws -> Duration {
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

  private func save(_ numbers: Range<Int>, zone: String) throws {
    _ = try connection.request(
      "POST", server.path("records/modify"), GrowthBodies.save(numbers, zone: zone))
  }

  // MARK: What is asked

  func search(_ index: Int, group: Int) throws {
    try query(GrowthBodies.searches(group: group)[index])
  }

  private func query(_ body: [UInt8]) throws {
    _ = try connection.request("POST", server.path("records/query"), body)
  }

  func changes() throws {
    let body = Bodies.changes(
      zone: GrowthBodies.zone, token: tokens.all.randomElement(), limit: 100)
    _ = try connection.request("POST", server.path("changes/zone"), body)
  }

  /// Saves so many new records in one request.
  func saveMore(_ records: Int) throws {
    try save(next..<next + records, zone: GrowthBodies.zone)
    next += records
  }

  /// Loads so many new records, as the zone was loaded before; answers the seconds that the server took.
  func loadMore(_ records: Int) throws -> Double {
    defer { next += records }
    return try time(next..<next + records, zone: GrowthBodies.zone).asSeconds
  }

  func buildIndex(_ table: Table, isTiny: Bool) throws {
    try IndexBuilding(server: server, table: table, isTiny: isTiny).run(connection, records: count)
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
