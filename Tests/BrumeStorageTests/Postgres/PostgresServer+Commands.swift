// A server of a test's own, to stop, kill and start again.

import BrumeTestKit

@testable import BrumePostgres

extension PostgresServer {
  /// A server for `body` alone.
  static func with<Value>(
    _ settings: [String] = [], _ body: (PostgresServer) async throws -> Value
  ) async throws -> Value {
    let server = try PostgresServer(settings)
    let result = await Result { try await body(server) }
    // Or it would end with its last use, which stores on it do not see.
    return try withExtendedLifetime(server) { try result.get() }
  }

  /// Copies the server's data as it is now; it is stopped for that.
  func keepCopy() async throws {
    try await perform(.stop)
    try await perform(.copy)
    try await perform(.start())
  }

  /// As after a failover to who lacks what came since: the copy takes the place of the data.
  func bringBackCopy() async throws {
    try await perform(.stop)
    try await perform(.restore)
    try await perform(.start())
  }

  /// Carries out statements as the server's administrator, on a connection of its own.
  func execute(_ sql: String) throws { try Connection.forTest(url).simple(sql) }
}

extension Connection {
  /// A test's own connection. A busy machine may take longer than a server of Brume waits before it tries again.
  static func forTest(_ url: String) throws -> Connection {
    try Connection(ConnectionSettings(url + (url.contains("?") ? "&" : "?") + "connect_timeout=60"))
  }
}
