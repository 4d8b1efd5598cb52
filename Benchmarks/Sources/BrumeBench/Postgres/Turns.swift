// Two loads in turns, with the processor time of everybody who takes part.

import Foundation

/// Who takes part in a load on PostgreSQL.
struct Participants {
  let postgres: PostgresServer
  let servers: [Server]

  /// Seconds that each has used.
  func spent() throws -> Spent {
    Spent(
      database: try postgres.processorTime(),
      servers: servers.reduce(0) { $0 + ProcessorTime.of($1.processIdentifier) },
      clients: ProcessorTime.own)
  }
}

/// Seconds of processor time.
struct Spent {
  var database = 0.0
  var servers = 0.0
  var clients = 0.0

  static func + (a: Spent, b: Spent) -> Spent {
    Spent(
      database: a.database + b.database, servers: a.servers + b.servers,
      clients: a.clients + b.clients)
  }
  static func - (a: Spent, b: Spent) -> Spent {
    a
      + Spent(database: -b.database, servers: -b.servers, clients: -b.clients)
  }

  /// In microseconds for each of so many.
  func text(each count: Double) -> String {
    let micros = { (seconds: Double) in String(format: "%.0f", seconds / max(1, count) * 1e6) }
    let brume = servers > 0 ? "Brume \(micros(servers)), " : ""
    return "\(brume)database \(micros(database)), client \(micros(clients)) µs"
  }

  /// As parts of what they used together.
  var shares: String {
    let all = max(0.001, database + servers + clients)
    return String(
      format: "database %.0f %%, Brume %.0f %%, clients %.0f %%", 100 * database / all,
      100 * servers / all, 100 * clients / all)
  }
}

/// A load that was run several times.
struct Measured {
  private(set) var rates: [Double] = []
  private(set) var count = 0.0
  private(set) var seconds = 0.0
  private(set) var spent = Spent()

  var median: Double { rates.percentile(50) }

  /// Runs it once more.
  mutating func run(_ participants: Participants, _ load: () throws -> Double) throws {
    let (before, start) = (try participants.spent(), ContinuousClock.now)
    rates.append(try load())
    let passed = start.duration(to: .now).asSeconds
    count += (rates.last ?? 0) * passed
    seconds += passed
    spent = spent + (try participants.spent()) - before
  }

  /// How many processors were busy with it.
  var processors: Double { (spent.database + spent.servers + spent.clients) / max(0.001, seconds) }
}

/// Baseline and ours in turns, five times.
struct Turns {
  let postgres: PostgresServer
  let table: Table
  private(set) var baseline = Measured()
  private(set) var ours = Measured()

  init(_ postgres: PostgresServer, _ table: Table) {
    self.postgres = postgres
    self.table = table
  }

  mutating func run(
    _ baselineServers: [Server], _ baselineLoad: () throws -> Double, _ servers: [Server],
    _ load: () throws -> Double
  ) throws {
    for _ in 0..<5 {
      try baseline.run(Participants(postgres: postgres, servers: baselineServers), baselineLoad)
      try ours.run(Participants(postgres: postgres, servers: servers), load)
    }
  }

  /// The median of each round's ratio.
  var ratio: Double { zip(ours.rates, baseline.rates).map { $0 / $1 }.percentile(50) }

  /// Two rows: rates, and what each of `unit` cost everybody.
  func report(
    _ what: String, _ unit: String, _ baselineName: String, _ bound: Bound, of one: String
  ) {
    report(what, unit, baselineName, bound)
    table.add(
      Row(
        name: "  processor time of \(one)", ours: ours.spent.text(each: ours.count),
        baseline: baseline.spent.text(each: baseline.count)))
  }

  /// A row of the rates.
  func report(_ what: String, _ unit: String, _ baselineName: String, _ bound: Bound) {
    table.add(
      Row(
        name: what, ours: String(format: "%.0f %@", ours.median, unit),
        baseline: String(format: "%@ %.0f", baselineName, baseline.median),
        ratio: String(format: "%.2f", ratio), verdict: bound.verdict(ratio)))
  }
}
