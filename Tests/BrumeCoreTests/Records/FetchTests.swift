// Fetching: cases FET.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct FetchTests {
  @Test func `FET-01 a fetched record has the values that were saved`() async throws {
    let fixture = try await EngineFixture()
    let fields: [String: FieldValue] = [
      "title": .string("Ridge 🏔"), "km": .double(12.5), "n": .int64(.max),
      "blob": .bytes([0, 255]), "walked": .timestamp(-1),
      "start": .location(Location(latitude: 47.1, longitude: 11.4, altitude: 900)),
      "tags": .list([.string("a"), .string("b")], of: .string),
    ]
    let saved = try await fixture.save(.create("h1", fields))
    let fetched = try await fixture.fetch("h1", as: fixture.tablet)
    #expect(fetched == saved)
    #expect(fetched.fields == fields)
  }

  @Test func `FET-02 FET-04 a missing record fails alone`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let results = try await fixture.engine.records.lookup(
      .init(zone: EngineFixture.trails, items: [.init(name: "h1"), .init(name: "ghost")]),
      in: .private,
      as: fixture.phone)
    #expect(results[0].isSuccess)
    #expect(results[1].error?.code == .notFound)
    let reason = results[1].error?.reason ?? ""
    #expect(reason.hasPrefix("Record not found: 'ghost' in zone 'Trails'; check"), "\(reason)")
    guard case .failure(let failure) = results[1] else { return }
    #expect(failure.id.zone.ownerName == fixture.phone.user?.name, "named as in a success")
  }

  @Test func `FET-03 fetching in a missing zone says so`() async throws {
    let fixture = try await EngineFixture()
    let error = try await ruleFailure {
      try await fixture.fetch("h1", zone: ZoneID(name: "Ghost"))
    }
    #expect(error.code == .zoneNotFound)
  }

  @Test func `FET-05 more items than the limit fail as a whole`() async throws {
    let fixture = try await EngineFixture(limits: .tiny)
    let items = (0..<11).map { LookupRecordsRequest.Item(name: "h\($0)") }
    let error = try await ruleFailure {
      try await fixture.engine.records.lookup(
        .init(zone: EngineFixture.trails, items: items), in: .private, as: fixture.phone)
    }
    #expect(error.code == .limitExceeded)
    #expect(error.reason.contains("11"))
  }

  @Test func `FET-07 the user's own record can be fetched before anything was saved`() async throws
  {
    let fixture = try await EngineFixture()
    let name = try #require(fixture.phone.user?.name)
    let record = try await fixture.fetch(name, in: .public)
    #expect(record.type == "Users")
    let saved = try await fixture.save(
      .update(record, ["nickname": .string("Al")]), in: .public)
    #expect(saved.fields["nickname"] == .string("Al"))
    #expect(try await fixture.fetch(name, in: .public, as: fixture.bob).fields["nickname"] != nil)
  }

  @Test func `FET-07 user records cannot be made, deleted, or written by others`() async throws {
    let fixture = try await EngineFixture()
    let name = try #require(fixture.phone.user?.name)
    let create = RecordOperation.create(name, type: "Users")
    #expect(try await fixture.failure(of: create, in: .public).code == .conflict)
    #expect(try await fixture.failure(of: .delete(name), in: .public).code == .accessDenied)
    let record = try await fixture.fetch(name, in: .public)
    let other = try await fixture.failure(of: .update(record), in: .public, as: fixture.bob)
    #expect(other.code == .accessDenied)
    let made = RecordOperation.create("somebody", type: "Users")
    #expect(try await fixture.failure(of: made, in: .public).code == .badRequest)
  }

  @Test func `FET-12 a private record needs a signed-in user`() async throws {
    let fixture = try await EngineFixture()
    let error = try await ruleFailure {
      try await fixture.fetch("h1", as: fixture.server.anonymous())
    }
    #expect(error.code == .authenticationRequired)
  }

  @Test func `another user's private zone is out of reach`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let zone = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    let error = try await ruleFailure { try await fixture.fetch("h1", zone: zone, as: fixture.bob) }
    #expect(error.code == .zoneNotFound)
  }
}
