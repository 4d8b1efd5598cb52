// How long a connection waits for a server that does not answer, or does not read.

import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(2))) struct PostgresPatienceTests {
  @Test func `a server that reads nothing any more is given up, also through a socket file`()
    async throws
  {
    try await PostgresServer.with { server in
      let own = try Connection.forTest(server.url)
      let folder = try Self.text("SELECT current_setting('unix_socket_directories')", own)
      let port = try Self.text("SELECT current_setting('port')", own)
      var settings = try ConnectionSettings(
        "postgres://brume@/postgres?host=\(folder)&port=\(port)&connect_timeout=60")
      settings.answerTimeout = 2000
      let connection = try Connection(settings)
      let number = try Self.text("SELECT pg_backend_pid()::text", connection)
      let process = try #require(pid_t(number))
      kill(process, SIGSTOP)
      defer { kill(process, SIGCONT) }
      // More than the socket has room for.
      let bytes = [UInt8](repeating: 1, count: 32 << 20)
      try connection.send(SQL("SELECT octet_length($1::bytea)::bigint"), [.bytes(bytes)])
      let error = #expect(throws: ServerError.self) { _ = try connection.exchange() }
      #expect(error?.isConnectionLost == true)
    }
  }

  @Test func `what a backup asks for may take longer than what a request asks for`() async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let store = try PostgresStore.forTest(url: url, answerTimeout: 1000)
    let count = try await store.snapshot { export in
      try (export as? PostgresExport)?.ask(SQL("SELECT pg_sleep(1.5)::text")).count
    }
    #expect(count == 1)
    try await store.close()
  }

  private static func text(_ question: String, _ connection: Connection) throws -> String {
    try connection.send(SQL(question))
    return try connection.exchange()[0].first?.text(0) ?? ""
  }
}
