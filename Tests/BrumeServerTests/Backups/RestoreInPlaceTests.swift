// A backup comes back into the server that it was taken from, by calls alone.

import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import Foundation
import HTTPTypes
import HummingbirdTesting
import Synchronization
import Testing

@Suite struct RestoreInPlaceTests {
  private static func sqlite() async throws -> ServerFixture {
    try await ServerFixture { $0.engine = .sqlite }
  }

  /// All of a backup of the server that runs.
  private static func backup(_ client: RouteClient) async throws -> [UInt8] {
    let id = try #require(try await client.admin("backups", [:])["id"]?.string)
    while try await client.admin("backups?id=\(id)")["state"] == "making" { await Task.yield() }
    return try await client.admin("backups/file?id=\(id)").bytes
  }

  private static func send(_ bytes: [UInt8], _ client: RouteClient) async throws -> Answer {
    try await client.send(
      "/_brume/admin/backups/restore", .post, bytes,
      [.authorization: "Bearer \(client.fixture.server.adminToken)"])
  }

  /// Sends it, and waits until the server has checked it.
  private static func checked(_ bytes: [UInt8], _ client: RouteClient) async throws -> Answer {
    var answer = try await send(bytes, client)
    #expect(answer.status == 200, "\(answer.text)")
    while ["checking", "writing"].contains(answer["state"]?.string) {
      await Task.yield()
      answer = try await client.admin("backups/restore")
    }
    return answer
  }

  /// Calls the routes while the server's work is done.
  private static func running(
    _ fixture: ServerFixture, _ body: @escaping @Sendable (RouteClient) async throws -> Void
  ) async throws {
    try await Services.embed(fixture.server) { _ in
      try await Services.application(fixture.server, ServerFixture.silent).test(.router) { client in
        try await body(RouteClient(fixture: fixture, client: client))
      }
    }
  }

  @Test func `a backup is checked, written beside the data, and taken up by the next start`()
    async throws
  {
    let fixture = try await Self.sqlite()
    defer { try? FileManager.default.removeItem(atPath: fixture.folder) }
    let tags = Kept()
    try await Self.running(fixture) { client in
      try await client.makeZone("Notes")
      try await client.save("kept", zone: "Notes")
      let bytes = try await Self.backup(client)
      try await client.save("lost", zone: "Notes")
      let ready = try await Self.checked(bytes, client)
      #expect(ready["state"] == "ready", "\(ready.text)")
      // Nothing has changed yet.
      #expect(try await Self.names(client) == ["kept", "lost"])
      tags.value = try await Self.token(client)
      // Of a restore before: it goes while this server still answers, and not before this one is wanted.
      let older = "\(fixture.folder)/replaced"
      try FileManager.default.createDirectory(
        atPath: "\(older)/assets", withIntermediateDirectories: true)
      let id = try #require(ready["id"])
      #expect(try await client.admin("backups/restore/apply", ["id": "other"]).status == 404)
      #expect(FileManager.default.fileExists(atPath: older))
      let applied = try await client.admin("backups/restore/apply", ["id": id])
      #expect(applied["state"] == "applied" && applied["restarts"] == false, "\(applied.text)")
      while FileManager.default.fileExists(atPath: older) { await Task.yield() }
      #expect(try await client.admin("backups/restore/remove", ["id": id]).status == 429)
    }
    let next = try await Self.next(after: fixture)
    try await next.routes { client in
      #expect(try await Self.names(client) == ["kept"])
      let state = try await client.admin("backups/restore")
      #expect(state["state"] == "none" && state["restored"]?["rows"] != nil, "\(state.text)")
      // A change token of before says so, instead of skipping what is not there any more.
      let old = try #require(tags.value)
      let changes = try await client.call(
        "changes/zone",
        ["zones": [["zoneID": ["zoneName": "Notes"], "syncToken": .string(old)]]])
      let answer = changes["zones"]?.array?.first
      #expect(answer?["serverErrorCode"] != nil, "\(changes.text)")
      let lines = try await client.admin("audit").text
      #expect(lines.contains("backups/restore/apply"), "\(lines)")
      #expect(FileManager.default.fileExists(atPath: "\(next.folder)/replaced/brume.sqlite"))
    }
  }

  @Test func `a snapshot that the disk did not take is said to have failed by it`() async throws {
    let fixture = try await Self.sqlite()
    defer { try? FileManager.default.removeItem(atPath: fixture.folder) }
    // A file where the folder of snapshots should be.
    try Data().write(to: URL(filePath: "\(fixture.folder)/snapshots"))
    try await Self.running(fixture) { client in
      let id = try #require(try await client.admin("backups", [:])["id"]?.string)
      var answer = try await client.admin("backups?id=\(id)")
      while answer["state"] == "making" {
        await Task.yield()
        answer = try await client.admin("backups?id=\(id)")
      }
      #expect(answer["state"] == "failed" && answer["disk"] == true, "\(answer.text)")
    }
  }

  @Test func `a file of a backup that cannot be read or written does not end the server`()
    async throws
  {
    let fixture = try await Self.sqlite()
    defer { try? FileManager.default.removeItem(atPath: fixture.folder) }
    try await Self.running(fixture) { client in
      let bytes = try await Self.backup(client)
      let id = try #require(try await client.admin("backups", [:])["id"]?.string)
      while try await client.admin("backups?id=\(id)")["state"] == "making" { await Task.yield() }
      try FileManager.default.removeItem(atPath: "\(fixture.folder)/snapshots/\(id)")
      for _ in 0..<2 {
        #expect(try await client.admin("backups/rows?id=\(id)&offset=0").status == 404)
      }
      let restore = try #require(try await Self.checked(bytes, client)["id"])
      // A folder where the note should be.
      let note = "\(fixture.folder)/restore/pending.new"
      try FileManager.default.createDirectory(atPath: note, withIntermediateDirectories: false)
      let refused = try await client.admin("backups/restore/apply", ["id": restore])
      #expect(refused.status == 503 && refused.reason.contains("nothing has changed"))
      #expect(client.fixture.server.health.failure == nil)
      try FileManager.default.removeItem(atPath: note)
      let applied = try await client.admin("backups/restore/apply", ["id": restore])
      #expect(applied["state"] == "applied", "\(applied.text)")
    }
  }

  @Test func `what is no whole backup is refused, and leaves nothing`() async throws {
    let fixture = try await Self.sqlite()
    defer { try? FileManager.default.removeItem(atPath: fixture.folder) }
    try await Self.running(fixture) { client in
      for wrong in [[], Array("Dear Sir".utf8), [UInt8](repeating: 7, count: 3_000_000)] {
        let answer = try await Self.send(wrong, client)
        #expect(answer.status == 400 && answer.reason.contains("no backup"), "\(answer.text)")
      }
      let bytes = try await Self.backup(client)
      var damaged = bytes
      // Behind the first frame, which says what comes and is read at once.
      damaged[bytes.count - bytes.count / 8] ^= 4
      let flipped = try await Self.checked(damaged, client)
      #expect(flipped["state"] == "failed" && flipped.reason.contains("damaged at byte"))
      let cut = try await Self.checked(Array(bytes.dropLast(bytes.count / 3)), client)
      #expect(cut["state"] == "failed" && cut.reason.contains("ends at byte"), "\(cut.text)")
      #expect(!FileManager.default.fileExists(atPath: "\(fixture.folder)/restore"))
      // And after all that a good one is taken.
      let ready = try await Self.checked(bytes, client)
      let id = try #require(ready["id"])
      #expect(try await client.admin("backups/restore/remove", ["id": id]).status == 200)
      #expect(!FileManager.default.fileExists(atPath: "\(fixture.folder)/restore"))
      #expect(try await client.admin("backups/restore")["state"] == "none")
    }
  }

  @Test func `a server whose data is in memory says what to do instead`() async throws {
    try await ServerFixture().routes { client in
      let state = try await client.admin("backups/restore")
      #expect(state["obstacle"]?.string?.contains("in memory") == true, "\(state.text)")
      let answer = try await Self.send([1], client)
      #expect(answer.status == 400 && answer.reason.contains("in memory"), "\(answer.text)")
    }
  }

  @Test(arguments: [
    ("postgres://brume:secret@db.example.org:5432/notes?sslmode=require", "notes_restored"),
    ("postgres://db.example.org", "brume_restored"),
  ])
  func `a server on PostgreSQL names each command, and nothing of its own database but the name`(
    url: String, database: String
  ) throws {
    var settings = Settings()
    settings.engine = .postgres(url)
    let said = try #require(RestoreObstacle.of(settings))
    #expect(said.contains("'createdb \(database)'") && said.contains("…/\(database)'"), "\(said)")
    #expect(!said.contains("secret") && !said.contains("example.org"), "\(said)")
  }

  @Test func `who may only read may look and nothing else`() async throws {
    try await ServerFixture().routes { client in
      let made = try await client.admin(
        "operators/tokens", ["name": "looker", "role": "read-only"])
      let token = try #require(made["token"]?.string, "\(made.text)")
      #expect(try await client.admin("backups/restore", token: token).status == 200)
      for path in ["backups/restore", "backups/restore/apply", "backups/restore/remove"] {
        #expect(try await client.admin(path, ["id": "a"], token: token).status == 403, "\(path)")
      }
    }
  }

  // MARK: Steps

  /// As `brume serve` does it, which keeps the folder's lock meanwhile.
  private static func next(after fixture: ServerFixture) async throws -> ServerFixture {
    let folder = try #require(fixture.server.folder)
    try folder.takeUpRestore()
    return try await ServerFixture(in: folder) { $0.engine = .sqlite }
  }

  private static func names(_ client: RouteClient) async throws -> [String] {
    let answer = try await client.call(
      "records/query", ["zoneID": ["zoneName": "Notes"], "query": ["recordType": "Note"]])
    return (answer["records"]?.array ?? []).compactMap { $0["recordName"]?.string }.sorted()
  }

  private static func token(_ client: RouteClient) async throws -> String? {
    try await client.call("changes/zone", ["zones": [["zoneID": ["zoneName": "Notes"]]]])["zones"]?
      .array?.first?["syncToken"]?.string
  }
}

/// What one part of a test leaves to the next.
private final class Kept: Sendable {
  private let kept = Mutex<String?>(nil)
  var value: String? {
    get { kept.withLock { $0 } }
    set { kept.withLock { $0 = newValue } }
  }
}
