import BrumeModel
import BrumeStorage
import BrumeWire
import HTTPTypes
import Testing

@testable import BrumeServer

/// The download of one user's private database.
@Suite struct UserExportTests {
  private static let path = "users/export?user=alice"

  private static func lines(_ answer: Answer) throws -> [JSON] {
    try answer.text.split(separator: "\n").map { try JSON(parsing: Array($0.utf8)) }
  }

  @Test func `a download has all zones and records, in the form of brume export`() async throws {
    try await ServerFixture().routes { client in
      _ = try await client.save("n1")
      _ = try await client.save("n2")
      let answer = try await client.admin(Self.path)
      let lines = try Self.lines(answer).map { try ExportLine(json: $0) }
      #expect(answer.headers[.contentDisposition] == "attachment")
      let owner = client.fixture.user("alice").name
      #expect(lines.first == .heading(version: 1, user: "alice", owner: owner))
      let names = lines.compactMap {
        if case .record(let record)? = $0 { record.name } else { nil }
      }
      #expect(names == ["n1", "n2"])
      #expect(lines.contains(.zone("_defaultZone")))
      #expect(lines.last == .end(records: 2))
    }
  }

  @Test
  func `files come before the record that holds them, and a lost one breaks the download off`()
    async throws
  {
    try await ServerFixture().routes { client in
      _ = try await AssetRouteTests.saved(client)
      let lines = try Self.lines(try await client.admin(Self.path)).map { try ExportLine(json: $0) }
      let pieces = lines.compactMap { if case .piece(let bytes)? = $0 { bytes } else { nil } }
      #expect(pieces.flatMap(\.self) == AssetRouteTests.file)
      #expect(lines.last == .end(records: 1))
      let files = try await client.fixture.server.store.read {
        try $0.assets.files(after: "", limit: 9)
      }
      for file in files { try await client.fixture.server.assets.remove(file.object) }
      let cut = try? await client.admin(Self.path)
      #expect(cut?.text.contains("\"end\"") != true)
    }
  }

  @Test func `nobody named, or nobody there, gets a sentence`() async throws {
    try await ServerFixture().routes { client in
      let unnamed = try await client.admin("users/export")
      #expect(unnamed.status == 400 && unnamed.reason.contains("'user'"))
      #expect(try await client.admin("users/export?user=nobody").status == 404)
    }
  }

  @Test func `whoever takes somebody's data along has a line in the audit log`() async throws {
    try await ServerFixture().routes { client in
      _ = try await client.admin(Self.path)
      let line = try await client.admin("audit")["audit"]?.array?.first
      #expect(line?["action"] == "users/export" && line?["subject"] == "alice", "\(line ?? .null)")
    }
  }
}
