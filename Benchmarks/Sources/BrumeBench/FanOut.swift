// One change to many devices, and one change to one of many, beside mosquitto in the same run. Brume
// stores every delivery durably before it sends it; mosquitto (QoS 0) stores nothing.

import Foundation

struct FanOut {
  let server: Server
  let mosquitto: Mosquitto?
  let raw: RawSQLite
  let devices: Int
  let table: Table
  /// Of a server or of us, beside one for each device: writers, the database, the system's own.
  static let otherFiles = 200
  /// One less than a user may have: the one that subscribes is a device too.
  private static let perUser = 49
  /// Few enough that no device has to come back and acknowledge.
  private static let changes = 20

  func run() throws {
    let (ours, times) = try brume()
    let theirs = try mosquitto.map { try flood($0, Self.changes * 10) }
    report("one change to \(devices) devices", ours, theirs)
    try report(times, try mosquitto.map { try latencies($0) })
  }

  /// Deliveries a second, and the times of single saves. The sockets are closed afterwards: both sides'
  /// sockets together would be more than a process may have.
  private func brume() throws -> (Double, [Pushes.Times]) {
    let before = Server.residentKilobytes(server.processIdentifier)
    let pool = SocketPool(mark: "\ndata: ")
    let users = (devices + Self.perUser - 1) / Self.perUser
    for number in 0..<users { try join(pool, user: "subscriber\(number)", of: number) }
    try pool.settle(milliseconds: 500)
    let kilobytes =
      Double(Server.residentKilobytes(server.processIdentifier) - before) / Double(devices)
    table.add(
      Row(
        name: "server memory of each of \(devices) idle devices",
        ours: String(format: "%.1f KB", kilobytes),
        // The least that a process grows by says nothing about one device.
        verdict: devices < 100 ? "" : Bound(must: 21, aim: 9.5).verdict(atMost: kilobytes)))
    let deliveries = try flood(pool, Self.changes)
    return (deliveries, try Pushes.times(server, count: 500, pause: Self.pause))
  }

  /// A user with many devices and one subscription.
  private func join(_ pool: SocketPool, user: String, of number: Int) throws {
    let credentials = try server.credentials(ofUser: user)
    let connection = try server.connect()
    _ = try connection.request(
      "POST", server.path("subscriptions/modify", "public", credentials, device: "maker"),
      Bodies.watchNotes)
    for device in 0..<min(Self.perUser, devices - number * Self.perUser) {
      let target = server.streamPath(credentials, device: "device\(device)")
      try pool.join(
        port: server.port, sending: Array("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    }
  }

  /// Deliveries a second.
  private func flood(_ pool: SocketPool, _ changes: Int) throws -> Double {
    let writer = try server.connect()
    let start = ContinuousClock.now
    for _ in 0..<changes { try save(writer) }
    try pool.wait(for: devices * changes, seconds: 120)
    return Double(devices * changes) / start.duration(to: .now).asSeconds
  }

  private func save(_ writer: Connection) throws {
    _ = try writer.request("POST", server.publicPath("records/modify"), Bodies.saveNote)
  }

  private func flood(_ mosquitto: Mosquitto, _ changes: Int) throws -> Double {
    let pool = SocketPool(mark: "mark:")
    for number in 0..<devices {
      try pool.join(
        port: mosquitto.port,
        sending: Mosquitto.hello("d\(number)") + Mosquitto.subscribe("all"))
    }
    try pool.settle(milliseconds: 500)
    let publisher = try TCP.connect(port: mosquitto.port)
    defer { close(publisher) }
    try TCP.send(Mosquitto.hello("publisher"), to: publisher)
    let message = Mosquitto.publish("all", "mark:" + String(repeating: "x", count: 250))
    let start = ContinuousClock.now
    for _ in 0..<changes { try TCP.send(message, to: publisher) }
    try pool.wait(for: devices * changes, seconds: 120)
    return Double(devices * changes) / start.duration(to: .now).asSeconds
  }

  /// Microseconds between single changes: the server has nothing else to do.
  private static let pause: UInt32 = 2000

  /// Milliseconds from publishing to one of many idle subscribers.
  private func latencies(_ mosquitto: Mosquitto) throws -> [Double] {
    let pool = SocketPool(mark: "mark:")
    for number in 0..<devices {
      try pool.join(
        port: mosquitto.port,
        sending: Mosquitto.hello("i\(number)") + Mosquitto.subscribe("own/\(number)"))
    }
    try pool.settle(milliseconds: 500)
    let publisher = try TCP.connect(port: mosquitto.port)
    defer { close(publisher) }
    try TCP.send(Mosquitto.hello("one"), to: publisher)
    return try (0..<500).map { _ in
      let message = Mosquitto.publish("own/\(Int.random(in: 0..<devices))", "mark:1")
      usleep(Self.pause)
      let start = ContinuousClock.now
      try TCP.send(message, to: publisher)
      try pool.wait(for: 1, seconds: 5)
      return start.duration(to: .now).asSeconds * 1000
    }
  }

  /// No client sees the commit. It is after the request by at least what the commit costs by itself,
  /// and before the reply.
  private func report(_ times: [Pushes.Times], _ theirs: [Double]?) throws {
    let commit = try (0..<500).map { _ in
      usleep(Self.pause)
      let start = ContinuousClock.now
      try raw.save(1)
      return start.duration(to: .now).asSeconds * 1000
    }.percentile(50)
    for (place, must) in [(50, 10.0), (99, 20)] {
      let push = times.map(\.push).percentile(place)
      let afterReply = times.map { max(0, $0.push - $0.reply) }.percentile(place)
      var row = Row(
        name: "commit to byte for one of \(devices + 1) idle devices, p\(place)",
        ours: String(format: "%.2f to %.2f ms", afterReply, push - commit),
        verdict: String(format: "save to byte %.2f ms", push))
      if let other = theirs?.percentile(place) {
        let ratios = (afterReply / other, (push - commit) / other)
        row.baseline = String(format: "mosquitto %.3f ms", other)
        row.ratio = String(format: "%.1f to %.1f", ratios.0, ratios.1)
        row.verdict = Bound(must: must).verdict(atMost: ratios.1) + "; " + row.verdict
      } else {
        row.verdict += "; baseline not measured: \(Mosquitto.missing)"
      }
      table.add(row)
    }
  }

  /// Of one change to all of them. With few devices the saves are the time, not the pushes.
  private var bound: Bound {
    switch devices {
    case ..<1_000: Bound(must: 0.45, aim: 0.6)
    case ..<10_000: Bound(must: 0.75, aim: 1)
    default: Bound(must: 1)
    }
  }

  private func report(_ what: String, _ ours: Double, _ theirs: Double?) {
    var row = Row(name: what, ours: String(format: "%.0f deliveries/s", ours))
    if let theirs {
      row.baseline = String(format: "mosquitto %.0f", theirs)
      row.ratio = String(format: "%.2f", ours / theirs)
      row.verdict = bound.verdict(ours / theirs)
    } else {
      row.verdict = "baseline not measured: \(Mosquitto.missing)"
    }
    table.add(row)
  }
}

extension Bodies {
  static let watchNotes = Array(
    #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"watched","subscriptionType":"query","query":{"recordType":"Watched","filterBy":[]},"firesOn":["create"],"notificationInfo":{"alertBody":"news"}}}]}"#
      .utf8)
  static var saveNote: [UInt8] {
    Array(
      #"{"operations":[{"operationType":"create","record":{"recordName":"\#(UUID().uuidString)","recordType":"Watched","fields":{"a":{"value":1,"type":"INT64"}}}}]}"#
        .utf8)
  }
}
