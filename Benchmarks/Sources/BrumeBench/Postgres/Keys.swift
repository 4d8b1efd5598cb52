// Clients that save into private databases of their own, so that their saves have nothing in common: each
// goes round some users.

import Foundation

/// One connection, and where it saves.
final class SavingClient: @unchecked Sendable {
  // Sendable because one thread at a time uses it.
  private let connection: Connection
  private let paths: [String]
  private var turn = 0

  /// - Parameter users: with their zones; saves go round them.
  init(_ server: Server, _ users: ArraySlice<KeyUser>) throws {
    connection = try server.connect()
    paths = users.map { server.path("records/modify", "private", $0.credentials, device: "bench") }
  }

  func save(_ body: [UInt8]) throws {
    turn = (turn + 1) % paths.count
    _ = try connection.request("POST", paths[turn], body)
  }
}

/// A user with the zone `Notes` in the private database.
struct KeyUser: Sendable {
  let credentials: String

  init(_ name: String, _ server: Server, _ connection: Connection) throws {
    credentials = try server.credentials(ofUser: name, connection)
    let path = { [credentials] in server.path($0, "private", credentials, device: "bench") }
    _ = try connection.request("POST", path("zones/modify"), Bodies.createZone("Notes"))
    // The first of a type grows the schema, which is not what is measured.
    _ = try connection.request("POST", path("records/modify"), Bodies.save(1, zone: "Notes"))
  }

  static func make(_ count: Int, _ server: Server) throws -> [KeyUser] {
    let connection = try server.connect()
    return try (0..<count).map { try KeyUser("key\($0)", server, connection) }
  }
}

/// Several clients at once.
struct SavingClients: Sendable {
  static let count = 16
  /// All that they save into.
  static func users(isTiny: Bool) -> Int { isTiny ? count : 4 * count }
  let clients: [SavingClient]

  /// Each has users of its own; the clients are spread over the servers.
  init(_ servers: [Server], distinct users: [KeyUser]) throws {
    let each = users.count / Self.count
    clients = try (0..<Self.count).map { index in
      try SavingClient(
        servers[index % servers.count], users[index * each..<(index + 1) * each])
    }
  }

  /// All save into the database of one user.
  init(_ server: Server, hot user: KeyUser) throws {
    clients = try (0..<Self.count).map { _ in try SavingClient(server, [user]) }
  }

  /// Saves a second.
  func perSecond(_ seconds: Double) throws -> Double {
    try rate(seconds: seconds, threads: clients.count) { [clients] index in
      { try clients[index].save(Bodies.save(1, zone: "Notes")) }
    }
  }
}
