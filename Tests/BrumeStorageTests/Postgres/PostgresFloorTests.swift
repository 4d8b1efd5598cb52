// What every new sequence is above, when a generation begins.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite struct PostgresFloorTests {
  @Test func `a new generation writes to no database of a user, however many there are`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let store = try PostgresStore.forTest(buckets: 4, url: url)
    let keys = (0..<5).map { ZoneKey.sample(owner: "_user\($0)") }
    for key in keys {
      try await store.write(in: .database(key.database)) { _ = try $0.putNext("a", in: key) }
    }
    let before = try Self.places(url)
    #expect(before.count == 5)
    try await store.write(in: .everything(of: store)) { try $0.sequences.raise(above: 5000) }
    #expect(try Self.places(url) == before)
    for key in keys {
      for expected: Int64 in [5001, 5002] {
        let sequence = try await store.write(in: .database(key.database)) {
          try $0.putNext("b", in: key)
        }
        #expect(sequence == expected)
      }
    }
    try await store.close()
  }

  @Test func `this server goes by a floor when it is committed, and takes it for its own before`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    try await PostgresStore.forTest(url: url).close()
    let connection = try Connection.forTest(url)
    let node = Node(
      coders: .wireForm, bucketCount: 1, leases: PostgresLeases(owner: "test") { 0 },
      acceptsLoss: true)
    func raise(to floor: Int64, isDiscarded: Bool) throws {
      let session = Session(connection)
      let transaction = PostgresTransaction(session, node)
      session.begin(SQL("BEGIN"))
      session.bodyBegins()
      try transaction.sequences.raise(above: floor)
      if isDiscarded { transaction.discard() } else { transaction.accept() }
      #expect(node.acknowledgements.progress?.floor == 0)
      try session.commit()
      try node.acknowledgements.check(on: connection)
      transaction.committed()
    }
    try raise(to: 5000, isDiscarded: true)
    #expect(node.acknowledgements.progress?.floor == 0)
    try raise(to: 6000, isDiscarded: false)
    #expect(node.acknowledgements.progress?.floor == 6000)
  }

  /// Where the rows of databases are in their table: another place after each change.
  private static func places(_ url: String) throws -> [String] {
    let connection = try Connection.forTest(url)
    try connection.send(SQL("SELECT ctid::text FROM databases ORDER BY bucket, id"))
    return try connection.exchange()[0].map { $0.text(0) }
  }
}
