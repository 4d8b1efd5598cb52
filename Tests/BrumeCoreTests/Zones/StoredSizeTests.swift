// Counting what is stored, of records that are large: in pages of so many bytes.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct StoredSizeTests {
  private static let text = FieldValue.string(String(repeating: "x", count: 900_000))
  /// Of each record: its name, its field's, and the text.
  private static let bytes: Int64 = 900_003

  /// Seven records of 0.9 MB in a zone of Alice's.
  private static func filled() async throws -> (store: CountingStore, fixture: EngineFixture) {
    let store = CountingStore(MemoryStore(coders: .wire))
    let fixture = try await EngineFixture(TestServer(store: store))
    for number in 0..<7 { try await fixture.save(.create("r\(number)", ["t": text])) }
    return (store, fixture)
  }

  private static func size(of name: String, at engine: Engine) async throws -> StoredSize? {
    let user = try #require(try await engine.accounts.user(named: name))
    return try await engine.storageReports.report(on: user).users.first?.size
  }

  @Test func `large records are counted in pages of a few megabytes`() async throws {
    let (store, fixture) = try await Self.filled()
    _ = store.take()
    let size = try await Self.size(of: "alice", at: fixture.engine)
    #expect(size?.records == 7 && size?.bytes == 7 * Self.bytes && size?.isWhole == true)
    let most = store.take().map(\.pageBytes).max() ?? 0
    #expect(most > 900_000 && most < 5 << 20)
  }

  @Test func `a quota that is switched on counts large records in such pages too`() async throws {
    let (store, fixture) = try await Self.filled()
    var limits = Limits.apple
    limits.storageBytesPerUser = 7 * Self.bytes + 10
    let counting = try await TestServer(store: store, limits: limits)
    _ = store.take()
    func save(_ name: String, _ title: String) async throws -> [BrumeError.Code?] {
      try await counting.engine.records.modify(
        .init(
          zone: EngineFixture.trails,
          operations: [.create(name, ["t": .string(title)])]), in: .private, as: fixture.phone
      ).codes
    }
    #expect(try await save("a", "123456789") == [.quotaExceeded])
    #expect(try await save("b", "12345678") == [nil])
    let most = store.take().map(\.pageBytes).max() ?? 0
    #expect(most > 900_000 && most < 5 << 20)
  }

  @Test func `a large record counts as many among those that one answer looks at`() async throws {
    let (store, _) = try await Self.filled()
    var limits = Limits.apple
    limits.sizedRecords = 100
    let server = try await TestServer(store: store, limits: limits)
    // A page of five records has more bytes than a hundred that are small.
    let size = try await Self.size(of: "alice", at: server.engine)
    #expect(size?.records == 5 && size?.isWhole == false)
  }
}
