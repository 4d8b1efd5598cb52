// What a save looks at to know how much its owner stores: not his other zones, nor his other records.

import BrumeCore
import BrumeModel
import BrumeTestKit
import Testing

@Suite struct CountedStorageTests {
  /// Steps by which saves differ for other reasons. To look at one row takes some.
  private static let slack = 400

  private func server() async throws -> GrowthServer {
    var limits = Limits.apple
    limits.operationsPerRequest = 1000
    limits.storageBytesPerUser = 1 << 30
    return try await GrowthServer(limits: limits)
  }

  /// Steps of SQLite that a save takes, the second after a zone came and went.
  private func stepsOfSave(besides zones: Int) async throws -> Int {
    let server = try await server()
    try await server.make(RequestKind.zoneIDs(zones))
    try await server.save(
      RequestKind.zoneIDs(zones).map { .create("r", zone: $0) })
    try await server.save([.create("first")])
    try await server.make([ZoneID(name: "New")])
    _ = try await server.engine.zones.modify(
      [.init(.delete, ZoneID(name: "New"))], in: .private, as: server.phone)
    // The first after it looks once which zones changed.
    try await server.save([.create("first")])
    return try await stepsOfSave(server)
  }

  private func stepsOfSave(_ server: GrowthServer) async throws -> Int {
    let steps = try await server.steps { try await server.save([.create("first")]) }
    try await server.close()
    return steps
  }

  @Test func `a save into a database of 500 zones looks at as many rows as one of 5`()
    async throws
  {
    let (few, many) = (try await stepsOfSave(besides: 5), try await stepsOfSave(besides: 500))
    #expect(many <= few + Self.slack, "\(few) steps with 5 zones, \(many) with 500")
  }

  /// Steps of a save after somebody joined a share in the same zone.
  private func stepsOfSave(in records: Int) async throws -> Int {
    let server = try await server()
    try await server.save(RequestKind.names(records).map { .create($0) })
    try await server.save([
      .create("root"), .share("share", of: "root", with: ["bob@example.org"]),
    ])
    try await server.accept([RecordID(name: "share", zone: GrowthServer.zone)])
    return try await stepsOfSave(server)
  }

  @Test func `a save after somebody joined a share does not look at the zone's other records`()
    async throws
  {
    let (few, many) = (try await stepsOfSave(in: 5), try await stepsOfSave(in: 500))
    #expect(many <= few + Self.slack, "\(few) steps with 5 records, \(many) with 500")
  }
}
