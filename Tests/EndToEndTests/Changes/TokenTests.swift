// What a change token is good for, and what it is not: CHG-04, CHG-05, CHG-30, ZON-16.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TokenTests {
  /// The error of a fetch of zone `Z` with `token`.
  private static func error(_ device: Device, _ token: CKServerChangeToken?) async throws
    -> CKError
  {
    try await failure {
      _ = try await device.database.recordZoneChanges(inZoneWith: .named("Z"), since: token)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-30 a token that was archived and restored goes on where it was`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("a")
      let token = try #require(try await laptop.changes().token)
      let restored = try Archive.token(try Archive.data(token))
      #expect(restored == token)
      try await phone.save("b")
      #expect(try await laptop.changes(since: restored).summary == ["+b"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-04 CHG-30 tokens of another zone, user or kind are expired`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, _) = try await fixture.pair()
      try await phone.makeZone("Y")
      let other = try await fixture.device("bob", "phone")
      try await other.makeZone("Z")
      let tokens = [
        try await phone.changes(in: .named("Y")).token, try await other.changes().token,
        try await phone.database.databaseChanges(since: nil).changeToken,
      ]
      for token in tokens {
        #expect(try await Self.error(phone, token).code == .changeTokenExpired)
      }
      let own = try await phone.changes().token
      let error = try await failure { _ = try await phone.database.databaseChanges(since: own) }
      #expect(error.code == .changeTokenExpired)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `CHG-05 with an expired token the client drops it and fetches everything`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.makeZone("Y")
      try await phone.save("a")
      var token = try await laptop.changes(in: .named("Y")).token
      var summary: [String] = []
      do {
        summary = try await laptop.changes(since: token).summary
      } catch let error as CKError where error.code == .changeTokenExpired {
        #expect(error.localizedDescription.contains("differs from the server's"))
        token = nil
        summary = try await laptop.changes(since: token).summary
      }
      #expect(token == nil && summary == ["+a"])
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `ZON-16 a token of an earlier incarnation of a zone is expired, nil sees the new one only`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let (phone, laptop) = try await fixture.pair()
      try await phone.save("old")
      let token = try await laptop.changes().token
      try await phone.database.deleteRecordZone(withID: .named("Z"))
      try await phone.makeZone("Z")
      try await phone.save("new")
      #expect(try await Self.error(laptop, token).code == .changeTokenExpired)
      #expect(try await laptop.changes().summary == ["+new"])
    }
  }
}
