// What one save, one page, one delivery, one idle device and one subscription cost: the figures that
// docs/operating/capacity.md reckons with.

import Foundation

struct Capacity {
  let engine: String
  let server: Server
  let resources: Resources
  let table: Table
  let isTiny: Bool
  private static let perUser = 49
  private var devices: Int { isTiny ? 20 : 1_000 }
  private var changes: Int { isTiny ? 2 : 40 }
  private var seconds: Double { isTiny ? 0.3 : 10 }

  func run() throws {
    // Subscriptions to a type that nobody has saved are refused.
    _ = try server.connect().request(
      "POST", server.publicPath("records/modify"), Bodies.saveNote)
    // First, or devices would be put where what came before has left room, and seem to need less.
    try idleDevices()
    try saves()
    try page()
    try subscriptions()
    try deliveries()
  }

  private func saves() throws {
    let users = try KeyUser.make(SavingClients.users(isTiny: isTiny), server)
    let clients = try SavingClients([server], distinct: users)
    // Connections and plans are there before anything is counted.
    _ = try clients.perSecond(seconds / 10)
    try measure("one save, 16 clients") { try Int(clients.perSecond(seconds) * seconds) }
    let (alone, count) = (try SavingClient(server, users[0...0]), isTiny ? 5 : 200)
    try measure("one save in a batch of 200") {
      for _ in 0..<count / 5 { try alone.save(Bodies.save(200, zone: "Notes")) }
      return count / 5 * 200
    }
  }

  private func page() throws {
    let (user, connection) = (try KeyUser("reader", server, server.connect()), try server.connect())
    let writer = try SavingClient(server, [user])
    for _ in 0..<2 { try writer.save(Bodies.save(100, zone: "Notes")) }
    let path = server.path("changes/zone", "private", user.credentials, device: "bench")
    let body = Bodies.changes(zone: "Notes", token: nil, limit: 100)
    try measure("one page of 100 changes") {
      try Int(
        rate(seconds: seconds / 2) { _ = try connection.request("POST", path, body) } * seconds / 2)
    }
  }

  /// Of twenty for each user, each with a condition of its own.
  private func subscriptions() throws {
    let (users, connection) = (isTiny ? 2 : 100, try server.connect())
    let credentials = try (0..<users).map {
      try server.credentials(ofUser: "watcher\($0)", connection)
    }
    try measure("one subscription, made") {
      for (user, credentials) in credentials.enumerated() {
        let path = server.path("subscriptions/modify", "public", credentials, device: "maker")
        _ = try connection.request("POST", path, Bodies.watchNumbers(20, from: user * 20))
      }
      return users * 20
    }
  }

  private func idleDevices() throws {
    let before = resources.residentKilobytes
    let pool = try joined(users: "idle")
    defer { withExtendedLifetime(pool) {} }
    add("one idle device", count: devices) { row in
      row.ours = String(
        format: "%.1f KB of memory", Double(resources.residentKilobytes - before) / Double(devices))
    }
    try measure("one idle device for a second") {
      usleep(UInt32(seconds * 1e6))
      return Int(Double(devices) * seconds)
    }
  }

  /// Streams of all devices.
  ///
  /// - Parameter name: of the users, with a number; nobody has it yet.
  private func joined(users name: String) throws -> SocketPool {
    let pool = SocketPool(mark: "\ndata: ")
    let users = (devices + Self.perUser - 1) / Self.perUser
    for number in 0..<users { try join(pool, user: "\(name)\(number)", of: number) }
    try pool.settle(milliseconds: 500)
    return pool
  }

  private func deliveries() throws {
    let pool = try joined(users: "subscriber")
    let (writer, path) = (try server.connect(), server.publicPath("records/modify"))
    _ = try writer.request("POST", path, Bodies.saveNote)
    try pool.wait(for: devices, seconds: 60)
    try measure("one delivery, of a change to \(devices)") {
      for _ in 0..<changes { _ = try writer.request("POST", path, Bodies.saveNote) }
      try pool.wait(for: devices * changes, seconds: 120)
      return devices * changes
    }
  }

  private func join(_ pool: SocketPool, user: String, of number: Int) throws {
    let credentials = try server.credentials(ofUser: user)
    _ = try server.connect().request(
      "POST", server.path("subscriptions/modify", "public", credentials, device: "maker"),
      Bodies.watchNotes)
    for device in 0..<min(Self.perUser, devices - number * Self.perUser) {
      let target = server.streamPath(credentials, device: "device\(device)")
      try pool.join(
        port: server.port, sending: Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    }
  }

  /// A row with what each of those cost that `body` did.
  private func measure(_ what: String, _ body: () throws -> Int) throws {
    let before = try resources.used()
    let count = try body()
    let used = try resources.used() - before
    add(what, count: count) { row in
      row.ours = used.spent.text(each: Double(count))
      row.verdict = used.text(each: Double(count))
    }
  }

  private func add(_ what: String, count: Int, _ fill: (inout Row) -> Void) {
    var row = Row(name: "\(engine): \(what)", baseline: "of \(count)")
    fill(&row)
    table.add(row)
  }
}

extension Bodies {
  /// Subscriptions to the type that devices of the subscribers watch, each to another number.
  static func watchNumbers(_ count: Int, from first: Int) -> [UInt8] {
    let operations = (first..<first + count).map { number in
      #"{"operationType":"create","subscription":{"subscriptionID":"n\#(number)","subscriptionType":"query","query":{"recordType":"Watched","filterBy":[{"fieldName":"a","comparator":"EQUALS","fieldValue":{"value":\#(number + 1000),"type":"INT64"}}]},"firesOn":["create"],"notificationInfo":{"alertBody":"news"}}}"#
    }
    return Array(#"{"operations":[\#(operations.joined(separator: ","))]}"#.utf8)
  }
}
