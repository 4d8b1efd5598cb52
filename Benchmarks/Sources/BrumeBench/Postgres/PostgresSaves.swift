// Saves and pages of one server on PostgreSQL beside statements that are written by hand.

import Foundation

struct PostgresSaves {
  let postgres: PostgresServer
  let raw: RawPostgres
  let server: Server
  let table: Table
  let isTiny: Bool
  /// Of one round; each is run five times.
  private var seconds: Double { isTiny ? 0.1 : 2 }

  func writes() throws {
    let users = try KeyUser.make(SavingClients.users(isTiny: isTiny), server)
    try single(try SavingClients([server], distinct: users))
    try hotKey(try SavingClients(server, hot: users[0]))
    try batches(users[1])
  }

  private func single(_ clients: SavingClients) throws {
    let databases = try (0..<SavingClients.count).map { _ in try raw.connect() }
    try compare(
      "PostgreSQL: save 1 record, 16 connections", "saves/s", Bound(must: 0.4, aim: 0.6), "a save",
      {
        try perSecond(databases) { try $0.save(in: Int64.random(in: 1..<Int64(RawPostgres.keys))) }
      },
      { try clients.perSecond(seconds) })
  }

  private func hotKey(_ clients: SavingClients) throws {
    let databases = try (0..<SavingClients.count).map { _ in try raw.connect() }
    try compare(
      "PostgreSQL: save 1 record, 16 connections, one key", "saves/s", Bound(must: 2, aim: 4),
      "a save",
      { try perSecond(databases) { try $0.save(in: 1) } }, { try clients.perSecond(seconds) })
  }

  private func batches(_ user: KeyUser) throws {
    let (database, client) = (try raw.connect(), try SavingClient(server, [user]))
    try compare(
      "PostgreSQL: save 200 records a request", "records/s", Bound(must: 0.35, aim: 0.6),
      "a record",
      { try 200 * rate(seconds: seconds) { try database.save(200, in: 2) } },
      {
        try 200
          * rate(
            seconds: seconds, preparing: { Bodies.save(200, zone: "Notes") }, client.save)
      })
  }

  func pages() throws {
    let (database, user) = (try raw.connect(), try KeyUser("reader", server, server.connect()))
    let count = isTiny ? 1_000 : 100_000
    let tokens = try load(count, database, user)
    // After that, because a connection may not be idle as long as loading takes.
    let client = try server.connect()
    let fetch = server.path("changes/zone", "private", user.credentials, device: "bench")
    try compare(
      "PostgreSQL: page of 100 changes out of \(count)", "pages/s", Bound(must: 0.25, aim: 0.5),
      "a page",
      {
        try rate(seconds: seconds) {
          let after = Int64.random(in: 0..<Int64(count - 100))
          guard try database.page(of: RawPostgres.keyOfPages, after: after) == 100 else {
            throw BenchError("the baseline's page is not full")
          }
        }
      },
      {
        try rate(seconds: seconds) {
          let body = Bodies.changes(zone: "Notes", token: tokens.randomElement(), limit: 100)
          _ = try client.request("POST", fetch, body)
        }
      })
  }

  /// As many records on both sides; answers tokens from which a whole page follows.
  private func load(_ count: Int, _ database: RawDatabase, _ user: KeyUser) throws -> [String] {
    let writer = try SavingClient(server, [user])
    for _ in 0..<count / 200 {
      try writer.save(Bodies.save(200, zone: "Notes"))
      try database.save(200, in: RawPostgres.keyOfPages)
    }
    try database.analyze()
    let connection = try server.connect()
    let fetch = server.path("changes/zone", "private", user.credentials, device: "bench")
    var tokens: [String] = []
    for _ in 0..<count / 200 - 1 {
      let page = try connection.request(
        "POST", fetch, Bodies.changes(zone: "Notes", token: tokens.last, limit: 200))
      if let token = Bodies.string("syncToken", in: page) { tokens.append(token) }
    }
    return tokens
  }

  private func perSecond(_ databases: [RawDatabase], _ body: @escaping (RawDatabase) throws -> Void)
    throws
    -> Double
  {
    let shared = Shared(databases, body)
    return try rate(seconds: seconds, threads: databases.count) { index in
      { try shared.body(shared.values[index]) }
    }
  }

  private func compare(
    _ what: String, _ unit: String, _ bound: Bound, _ one: String, _ baseline: () throws -> Double,
    _ ours: () throws -> Double
  ) throws {
    var turns = Turns(postgres, table)
    try turns.run([], baseline, [server], ours)
    turns.report(what, unit, "SQL by hand", bound, of: one)
  }
}

/// Values of which each thread uses its own.
private struct Shared<Value>: @unchecked Sendable {
  // Sendable because each thread takes another value, and the body changes nothing else.
  let values: [Value]
  let body: (Value) throws -> Void
  init(_ values: [Value], _ body: @escaping (Value) throws -> Void) {
    (self.values, self.body) = (values, body)
  }
}
