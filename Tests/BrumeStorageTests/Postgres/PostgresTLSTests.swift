// TLS between a store and its database: what is encrypted, and which server is refused.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumePostgres

@Suite(
  .enabled(if: OpenSSL.isInstalled, "openssl is not installed"), .serialized,
  .timeLimit(.minutes(2)))
struct PostgresTLSTests {
  /// It proves that it is 'localhost', and nothing else.
  private static let server = Result { try PostgresServer(["--tls"]) }

  /// The URL of an empty schema, at this name, and the certificate that proves it.
  private func place(_ host: String) throws -> (url: String, root: String) {
    let server = try Self.server.get()
    let connection = try Connection.forTest(server.url)
    try connection.send(SQL("SELECT current_setting('data_directory')"))
    let folder = try #require(try connection.exchange()[0].first?.text(0))
    let url = try server.emptySchema().replacing("@127.0.0.1:", with: "@\(host):")
    return (url, "\(folder)/server.crt")
  }

  private func refusal(_ url: String) -> String {
    let error = #expect(throws: StoreError.self) {
      _ = try PostgresStore.forTest(url: url) { _ in }
    }
    #expect(error?.code == .unreachable)
    return error?.description ?? ""
  }

  @Test func `all connections of a store are encrypted, to a server that proves its name`()
    async throws
  {
    let (url, root) = try place("localhost")
    let store = try PostgresStore.forTest(url: "\(url)&sslmode=verify-full&sslrootcert=\(root)")
    try await store.write(in: .database(.sample())) { _ = try $0.save("secret") }
    var encrypted: [Bool] = []
    // One that writes, one that reads, and those of the leases and of the tail, which their threads make when they can.
    while encrypted.count < 4 {
      encrypted = try await store.read { transaction in
        let transaction = try #require(transaction as? PostgresTransaction)
        return try transaction.session.all(Self.connections) { $0.isTrue(0) }
      }
    }
    #expect(encrypted.allSatisfy { $0 })
    try await store.close()
  }

  @Test func `a server that proves another name is refused, and one whose authority nobody knows`()
    throws
  {
    let (url, root) = try place("127.0.0.1")
    let other = refusal("\(url)&sslmode=verify-full&sslrootcert=\(root)")
    #expect(other.contains("certificate") && other.contains("127.0.0.1"), "\(other)")
    let unknown = refusal("\(url)&sslmode=verify-full&sslrootcert=\(root).none")
    #expect(unknown.contains("root certificate file"), "\(unknown)")
    #expect(unknown.contains("docs/operating/postgresql.md"), "\(unknown)")
  }

  @Test func `a weaker mode in the URL is taken as it is said`() async throws {
    let (url, _) = try place("127.0.0.1")
    for mode in ["require", "disable"] {
      try await PostgresStore.forTest(url: "\(url)&sslmode=\(mode)").close()
    }
  }

  private static let connections = SQL(
    """
    SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'brume%'
    """)
}

/// The program that makes the server's certificate.
private enum OpenSSL {
  static let isInstalled = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(
    separator: ":"
  ).contains { FileManager.default.isExecutableFile(atPath: "\($0)/openssl") }
}
