// Fetching: cases FET.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct FetchTests {
  @Test func `FET-01 a fetched record has the values that were saved`() async throws {
    let lab = try await Lab()
    let fields: [String: FieldValue] = [
      "title": .string("Ridge 🏔"), "km": .double(12.5), "n": .int64(.max),
      "blob": .bytes([0, 255]), "walked": .timestamp(-1),
      "start": .location(Location(latitude: 47.1, longitude: 11.4, altitude: 900)),
      "tags": .list([.string("a"), .string("b")], of: .string),
    ]
    let saved = try await lab.save(.create("h1", fields))
    let fetched = try await lab.fetch("h1", as: lab.tablet)
    #expect(fetched == saved)
    #expect(fetched.fields == fields)
  }

  @Test func `FET-02 FET-04 a missing record fails alone`() async throws {
    let lab = try await Lab()
    try await lab.save(.create("h1"))
    let results = try await lab.engine.lookupRecords(
      .init(zone: Lab.trails, items: [.init(name: "h1"), .init(name: "ghost")]), in: .private,
      as: lab.phone)
    #expect(results[0].isSuccess)
    #expect(results[1].error?.code == .notFound)
    #expect(results[1].error?.reason.hasPrefix("Record not found") == true)
  }

  @Test func `FET-03 fetching in a missing zone says so`() async throws {
    let lab = try await Lab()
    let error = try await ruleFailure {
      try await lab.fetch("h1", zone: ZoneID(name: "Ghost"))
    }
    #expect(error.code == .zoneNotFound)
  }

  @Test func `FET-05 more items than the limit fail as a whole`() async throws {
    let lab = try await Lab(limits: .tiny)
    let items = (0..<11).map { LookupRecordsRequest.Item(name: "h\($0)") }
    let error = try await ruleFailure {
      try await lab.engine.lookupRecords(
        .init(zone: Lab.trails, items: items), in: .private, as: lab.phone)
    }
    #expect(error.code == .limitExceeded)
    #expect(error.reason.contains("11"))
  }

  @Test func `FET-07 the user's own record can be fetched before anything was saved`() async throws
  {
    let lab = try await Lab()
    let name = try #require(lab.phone.user?.name)
    let record = try await lab.fetch(name, in: .public)
    #expect(record.type == "Users")
    let saved = try await lab.save(
      .update(record, ["nickname": .string("Al")]), in: .public)
    #expect(saved.fields["nickname"] == .string("Al"))
    #expect(try await lab.fetch(name, in: .public, as: lab.bob).fields["nickname"] != nil)
  }

  @Test func `FET-07 user records cannot be made, deleted, or written by others`() async throws {
    let lab = try await Lab()
    let name = try #require(lab.phone.user?.name)
    let create = RecordOperation.create(name, type: "Users")
    #expect(try await lab.failure(of: create, in: .public).code == .conflict)
    #expect(try await lab.failure(of: .delete(name), in: .public).code == .accessDenied)
    let record = try await lab.fetch(name, in: .public)
    let other = try await lab.failure(of: .update(record), in: .public, as: lab.bob)
    #expect(other.code == .accessDenied)
    let made = RecordOperation.create("somebody", type: "Users")
    #expect(try await lab.failure(of: made, in: .public).code == .badRequest)
  }

  @Test func `FET-12 a private record needs a signed-in user`() async throws {
    let lab = try await Lab()
    let error = try await ruleFailure {
      try await lab.fetch("h1", as: lab.server.anonymous())
    }
    #expect(error.code == .authenticationRequired)
  }

  @Test func `another user's private zone is out of reach`() async throws {
    let lab = try await Lab()
    try await lab.save(.create("h1"))
    let zone = ZoneID(name: "Trails", ownerName: lab.phone.user?.name)
    let error = try await ruleFailure { try await lab.fetch("h1", zone: zone, as: lab.bob) }
    #expect(error.code == .zoneNotFound)
  }
}
