// The time from sending a save to the byte of its push on another device's socket.

import Foundation

enum Pushes {
  static func run(_ server: Server, _ table: Table, count: Int) throws {
    let pushes = try times(server, count: count).map(\.push)
    for place in [50, 99] {
      table.add(
        Row(
          name: "save to the other device's push, p\(place)",
          ours: String(format: "%.2f ms", pushes.percentile(place))))
    }
  }

  /// One save's times in milliseconds, from sending its request.
  struct Times {
    let reply: Double
    let push: Double
  }

  /// Saves one after the other, each when the push of the one before has come.
  ///
  /// - Parameter pause: microseconds before each.
  static func times(_ server: Server, count: Int, pause: UInt32 = 0) throws -> [Times] {
    try prepare(server)
    return try measure(server, listeningAt: server, count: count, pause: pause)
  }

  /// A zone, and a subscription to what is saved there.
  static func prepare(_ server: Server) throws {
    let writer = try server.connect()
    _ = try writer.request("POST", server.path("zones/modify"), Bodies.createZone("pushes"))
    _ = try writer.request("POST", server.path("records/modify"), Bodies.save(1, zone: "pushes"))
    let subscription =
      #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"p","subscriptionType":"query","zoneID":{"zoneName":"pushes"},"query":{"recordType":"Note","filterBy":[]},"firesOn":["create"],"notificationInfo":{"shouldSendContentAvailable":true}}}]}"#
    _ = try writer.request(
      "POST", server.path("subscriptions/modify", device: "listener"), Array(subscription.utf8))
  }

  /// Saves at one server, with the device at the same or at another that shares its store.
  static func measure(
    _ server: Server, listeningAt other: Server, count: Int, pause: UInt32
  ) throws -> [Times] {
    let (writer, listener) = (try server.connect(), try Listener(other))
    let modify = server.path("records/modify")
    // Or the next listener would get them again.
    defer { try? listener.acknowledgeAll() }
    return try (0..<count).map { _ in
      let body = Bodies.save(1, zone: "pushes")
      try listener.acknowledge()
      if pause > 0 { usleep(pause) }
      let start = ContinuousClock.now
      _ = try writer.request("POST", modify, body)
      let reply = start.duration(to: .now)
      try listener.next()
      return Times(
        reply: reply.asSeconds * 1000, push: start.duration(to: .now).asSeconds * 1000)
    }
  }
}

extension [Double] {
  func percentile(_ place: Int) -> Double { isEmpty ? 0 : sorted()[count * place / 100] }
}

/// A device at the event stream, which acknowledges beside it as the Swift client does. Were the
/// stream to end, it would come back with its last position.
final class Listener {
  private static let pushesPerAcknowledgement = 20
  private let server: Server
  private var connection: Connection
  private let beside: Connection
  private var position: String?
  private var unacknowledged = 0

  init(_ server: Server) throws {
    self.server = server
    connection = try server.connect()
    beside = try server.connect()
    try connection.stream(server.streamPath, headers: "Accept: text/event-stream\r\n")
  }

  /// Acknowledges what came, from time to time.
  func acknowledge() throws {
    if unacknowledged >= Self.pushesPerAcknowledgement { try acknowledgeAll() }
  }

  func acknowledgeAll() throws {
    guard let position else { return }
    let path = server.streamPath.replacingOccurrences(of: "/stream?", with: "/stream/ack?")
    let cursor = position.trimmingCharacters(in: .whitespaces)
    _ = try beside.request("POST", "\(path)&cursor=\(cursor)")
    unacknowledged = 0
  }

  /// Waits for the next push.
  func next() throws {
    while true {
      let line = try connection.readLine()
      if line.hasPrefix("id:") { position = String(line.dropFirst(3)) }
      if line.hasPrefix("data:") {
        unacknowledged += 1
        return
      }
      if line == "0" { try comeBack() }
    }
  }

  private func comeBack() throws {
    connection = try server.connect()
    let cursor = position.map { "Last-Event-ID:\($0)\r\n" } ?? ""
    try connection.stream(server.streamPath, headers: "Accept: text/event-stream\r\n" + cursor)
  }
}
