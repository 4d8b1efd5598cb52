// What the stores of earlier versions hold in tests, and how it looks through the port once they are opened.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

enum OldContents {
  /// The records a and b, and one that was deleted after them, each with its sequence; a user, a secret, a line of
  /// the log.
  static func expect(in store: some Store) async throws {
    let (names, user, secret, log) = try await store.read { transaction in
      let page = try transaction.changes.page(in: .sample(), after: 0, through: 3, limit: 9)
      return (
        try page.map(Self.text), try transaction.users.find(UserID("_a1")),
        try transaction.settings.value(.secret),
        try transaction.log.entries(in: .only, after: 0, limit: 1).map(\.position)
      )
    }
    #expect(names == ["a 1 true", "b 2 true", "gone Trail"])
    #expect(user?.name == "alice" && user?.tokenEpoch == 2)
    #expect(secret == [7] && log == [1])
  }

  private static func text(_ change: StoredChange) throws -> String {
    switch change {
    case .changed(let stored):
      "\(stored.name) \(stored.sequence) \(try stored.record().fields["n"] == .int64(stored.sequence))"
    case .deleted(let gone): "\(gone.name) \(gone.type)"
    }
  }
}
