// Deletions of large zones that a server could not finish.

import BrumeModel
import BrumeServer
import BrumeStorage
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DeletionServiceTests {
  private static let zone = ZoneKey(
    database: DatabaseKey(in: ServerFixture.containerEnvironment, owner: UserID("_alice")),
    name: "Large")

  /// A server that remembers deletions for as long as zones live, which is the default.
  @Test func `what a dead server has left of a deleted zone goes when one begins`() async throws {
    let fixture = try await ServerFixture()
    #expect(fixture.server.settings.limits.deletionLifetime == nil)
    let store = fixture.server.store
    try await store.write(in: .database(Self.zone.database)) { transaction in
      let sequence = try transaction.sequences.next(in: Self.zone.database)
      let record = Record(name: "a", zone: Self.zone.id, type: "Note")
      try transaction.records.put(record, in: Self.zone, sequence: sequence)
      try transaction.zones.put(
        Zone(key: Self.zone, incarnation: 1, lastSequence: sequence, deletion: .deleted))
    }
    try await fixture.live { _ in
      while try await !store.read({ try $0.zones.unfinishedDeletions(limit: 1) }).isEmpty {
        await Task.yield()
      }
      let rows = try await store.read {
        try $0.changes.page(in: Self.zone, after: 0, through: .max, limit: 9)
      }
      #expect(rows.isEmpty)
    }
  }
}
