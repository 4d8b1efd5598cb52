// The parts that need PostgreSQL, on one server of it.

import Foundation

extension Run {
  func measurePostgres() {
    let wanted = ["postgres", "postgres-pages", "nodes", "citus", "capacity"].filter(isChosen)
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
      part("citus") { try citus(postgres) }
      part("capacity") { try capacity(postgres) }
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

  /// The same server on one PostgreSQL, and on a coordinator with two workers.
  private func citus(_ postgres: PostgresServer) throws {
    let cluster = try PostgresServer(folder: folder, hasWorkers: true)
    defer { cluster.stop() }
    let one = try node("plain", try postgres.store("plain"))
    defer { one.stop() }
    let spread = try node("spread", try cluster.store("spread"))
    defer { spread.stop() }
    let servers = [one, spread]
    let users = try servers.map { try KeyUser.make(SavingClients.users(isTiny: isTiny), $0) }
    // After all users, because a connection may not be idle as long as making them takes.
    let clients = try zip(servers, users).map { try SavingClients([$0], distinct: $1) }
    let seconds = isTiny ? 0.1 : 2
    var turns = Turns(postgres, table)
    try turns.run(
      [one], { try clients[0].perSecond(seconds) }, [spread], { try clients[1].perSecond(seconds) })
    turns.report(
      "Citus: save 1 record, 16 connections", "saves/s", "PostgreSQL", Bound(must: 0.25, aim: 0.4))
  }

  private func capacity(_ postgres: PostgresServer) throws {
    let onSQLite = try Server(binary: brume, folder: folder + "/capacity")
    defer { onSQLite.stop() }
    try Capacity(
      engine: "SQLite", server: onSQLite,
      resources: Resources(server: onSQLite, store: .sqlite(folder: folder + "/capacity")),
      table: table, isTiny: isTiny
    ).run()
    let onPostgres = try node("capacity2", try postgres.store("capacity"))
    defer { onPostgres.stop() }
    try Capacity(
      engine: "PostgreSQL", server: onPostgres,
      resources: Resources(server: onPostgres, store: .postgres(postgres, schema: "capacity")),
      table: table, isTiny: isTiny
    ).run()
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
