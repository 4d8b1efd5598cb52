// Two servers on one PostgreSQL database, beside one that has a database of its own.

import Foundation

struct TwoNodes {
  let postgres: PostgresServer
  let alone: Server
  let pair: [Server]
  let table: Table
  let isTiny: Bool
  private var seconds: Double { isTiny ? 0.1 : 2 }

  func saves() throws {
    let count = SavingClients.users(isTiny: isTiny)
    let one = try SavingClients([alone], distinct: try KeyUser.make(count, alone))
    let two = try SavingClients(pair, distinct: try KeyUser.make(count, pair[0]))
    var turns = Turns(postgres, table)
    try turns.run(
      [alone], { try one.perSecond(seconds) }, pair, { try two.perSecond(seconds) })
    turns.report(
      "PostgreSQL: 16 connections to two nodes", "saves/s", "one node", Bound(must: 0.95),
      of: "a save"
    )
    table.add(
      Row(
        name: "  of \(ProcessInfo.processInfo.activeProcessorCount) processors",
        ours: String(format: "%.2f busy: ", turns.ours.processors) + turns.ours.spent.shares,
        baseline: String(format: "%.2f busy: ", turns.baseline.processors)
          + turns.baseline.spent.shares))
  }

  /// From sending a save to one server to the push's byte at a device of the other, in both directions.
  func pushes(_ what: String, count: Int, _ bound: Bound) throws {
    try Pushes.prepare(pair[0])
    let times =
      try Pushes.measure(pair[0], listeningAt: pair[1], count: count / 2, pause: Self.pause)
      + Pushes.measure(pair[1], listeningAt: pair[0], count: count / 2, pause: Self.pause)
    let pushes = times.map(\.push)
    table.add(
      Row(
        name: "PostgreSQL: save to push at the other node\(what), p50",
        ours: String(format: "%.2f ms", pushes.percentile(50))))
    table.add(
      Row(
        name: "PostgreSQL: save to push at the other node\(what), p99",
        ours: String(format: "%.2f ms", pushes.percentile(99)),
        verdict: bound.verdict(atMost: pushes.percentile(99))))
  }

  /// Microseconds between single saves: nobody has anything else to do.
  private static let pause: UInt32 = 2000
}
