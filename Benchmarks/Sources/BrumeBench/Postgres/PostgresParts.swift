// The parts that need PostgreSQL, on one server of it.

import Foundation

extension Run {
  func measurePostgres() {
    let wanted = ["postgres", "postgres-pages", "nodes"].filter(isChosen)
    guard !wanted.isEmpty else { return }
    table.measure(wanted.joined(separator: ", ")) {
      let postgres = try PostgresServer(folder: folder)
      defer { postgres.stop() }
      table.add(
        Row(
          name: "PostgreSQL", ours: "\(postgres.version), fsync=on",
          verdict: "data in \(postgres.dataFolder)"))
      try saves(postgres)
      part("nodes") { try nodes(postgres) }
    }
  }

  private func saves(_ postgres: PostgresServer) throws {
    guard isChosen("postgres") || isChosen("postgres-pages") else { return }
    let (raw, server) = (try RawPostgres(postgres), try node("saves", try postgres.store("saves")))
    defer { server.stop() }
    let saves = PostgresSaves(
      postgres: postgres, raw: raw, server: server, table: table, isTiny: isTiny)
    part("postgres") { try saves.writes() }
    part("postgres-pages") { try saves.pages() }
  }

  private func nodes(_ postgres: PostgresServer) throws {
    let alone = try node("alone", try postgres.store("alone"))
    defer { alone.stop() }
    try pair(postgres, isQuiet: false) {
      let nodes = TwoNodes(
        postgres: postgres, alone: alone, pair: $0, table: table, isTiny: isTiny)
      try nodes.saves()
      try nodes.pushes("", count: isTiny ? 20 : 1000, Bound(must: 50, aim: 10))
    }
    try pair(postgres, isQuiet: true) {
      let nodes = TwoNodes(
        postgres: postgres, alone: alone, pair: $0, table: table, isTiny: isTiny)
      try nodes.pushes(" without NOTIFY", count: isTiny ? 4 : 200, Bound(must: 1000))
    }
  }

  private func pair(
    _ postgres: PostgresServer, isQuiet: Bool, _ body: ([Server]) throws -> Void
  ) throws {
    let name = isQuiet ? "quiet" : "pair"
    let store = try postgres.store(name, isQuiet: isQuiet)
    let first = try node(name + "1", store)
    defer { first.stop() }
    let second = try node(name + "2", store)
    defer { second.stop() }
    // Until each has its half of the work: a server looks every 2.5 s.
    if !isTiny { sleep(8) }
    try body([first, second])
  }

  private func node(_ name: String, _ store: String) throws -> Server {
    try Server(binary: brume, folder: folder + "/" + name, arguments: ["--store", store])
  }
}
