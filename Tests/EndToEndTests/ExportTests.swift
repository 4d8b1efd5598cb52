// A user's data through a file and back, as their devices see it, and a user who is deleted while a device
// listens.

import BrumeKit
import Foundation
import Testing

@Suite struct ExportTests {
  private static let content = Data(
    (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) })

  @Test func `an import brings records with their files and a whole change feed`() async throws {
    try await ServerProcess.run { server in
      let phone = try server.device("phone", of: "alice")
      try await phone.makeZone("Z")
      let photo = URL(filePath: server.folder + "/photo.jpg")
      try Self.content.write(to: photo)
      try await phone.save("a", ["photo": CKAsset(fileURL: photo), "title": "x"])
      let other = CKRecord.Reference(recordID: .named("a"), action: .deleteSelf)
      try await phone.save("b", ["above": other, "count": 3])
      let file = server.folder + "/alice.export"
      let out = try await Tool.run("export", "--user", "alice", file, "--data", server.folder)
      #expect(out.status == 0 && out.talk.contains("2 records and 1 files"), "\(out.talk)")
      #expect(out.talk.contains("from container 'iCloud.org.example.app' in development"))
      let back = try await Tool.run(
        "import", file, "--user", "bob", "--data", server.folder)
      #expect(back.status == 0, "\(back.talk)")
      #expect(back.talk.contains("into container 'iCloud.org.example.app' in development"))
      let elsewhere = try await Tool.run(
        "export", "--user", "alice", "--environment", "production", server.folder + "/other",
        "--data", server.folder)
      #expect(
        elsewhere.talk.contains("0 records and 0 files of alice, from container")
          && elsewhere.talk.contains("in production"), "\(elsewhere.talk)")
      let bobs = try server.device("bobs", of: "bob")
      #expect(Set(try await bobs.changes().summary) == ["+a", "+b"])
      let record = try await bobs.fetch("a")
      let url = try #require((record["photo"] as? CKAsset)?.fileURL)
      #expect(try Data(contentsOf: url) == Self.content)
      #expect(record["title"] == "x")
      let below = try await bobs.fetch("b")
      let above = try #require(below["above"] as? CKRecord.Reference)
      #expect(above.recordID == record.recordID, "it refers into the new owner's zone")
      try await bobs.database.deleteRecord(withID: record.recordID)
      await #expect(throws: CKError.self) { try await bobs.fetch("b") }
    }
  }

  @Test func `an import divides what is too much for one request`() async throws {
    try await ServerProcess.run { server in
      let phone = try server.device("phone", of: "alice")
      try await phone.makeZone("Z")
      // Of four records there may be as many words in a request, of five no more.
      let text = (0..<25_000).map { String($0, radix: 36) }.joined(separator: " ")
      let names = ["a", "b", "c", "d", "e"]
      for name in names { try await phone.save(name, ["text": text]) }
      let back = try await server.importForBob(try await server.exported())
      #expect(back.status == 0 && back.talk.contains("5 records of bob"), "\(back.talk)")
      let bobs = try server.device("bobs", of: "bob")
      #expect(Set(try await bobs.changes().summary) == Set(names.map { "+\($0)" }))
      #expect(try await bobs.fetch("b")["text"] == text)
    }
  }

  @Test func `an import sends no more files at once than a user may have without records`()
    async throws
  {
    try await ServerProcess.run { server in
      let phone = try server.device("phone", of: "alice")
      try await phone.makeZone("Z")
      let photo = URL(filePath: server.folder + "/photo.jpg")
      try Data([1, 2, 3]).write(to: photo)
      try await phone.save("a", ["photos": [0, 1, 2].map { _ in CKAsset(fileURL: photo) }])
      let lines = try await server.exported()
      // 134 records with three files each: 402, and a user may have 400.
      let record = try #require(lines.first { $0.hasPrefix("{\"record\":") })
      let name = "\"recordName\":\"a\""
      #expect(record.contains(name))
      let more = (0..<133).map { record.replacing(name, with: "\"recordName\":\"r\($0)\"") }
      let many = lines.dropLast() + more + ["{\"end\":true,\"records\":134}"]
      let back = try await server.importForBob(many)
      #expect(back.status == 0 && back.talk.contains("134 records of bob"), "\(back.talk)")
    }
  }

  @Test func `an import sends no files for records whose parent comes later in the file`()
    async throws
  {
    try await ServerProcess.run { server in
      let phone = try server.device("phone", of: "alice")
      try await phone.makeZone("Z")
      let photo = URL(filePath: server.folder + "/photo.jpg")
      try Data([1, 2, 3]).write(to: photo)
      let album = try await phone.save("album")
      let below = phone.record("a", ["photo": CKAsset(fileURL: photo)])
      below.setParent(album)
      try await phone.database.save(below)
      // So it stands behind its photo.
      album["title"] = "new"
      try await phone.database.save(album)
      let lines = try await server.exported()
      let first = try #require(lines.firstIndex { $0.hasPrefix("{\"record\":") })
      let name = "\"recordName\":\"a\""
      #expect(lines[first].contains(name) && lines[first + 1].contains("\"title\""))
      // 450 photos with a file each, and a user may have 400 that no record holds.
      let more = (0..<449).map { lines[first].replacing(name, with: "\"recordName\":\"r\($0)\"") }
      let many = lines[...first] + more + [lines[first + 1], "{\"end\":true,\"records\":451}"]
      let back = try await server.importForBob(many)
      #expect(back.status == 0 && back.talk.contains("451 records of bob"), "\(back.talk)")
      let last = try await server.device("bobs", of: "bob").fetch("r448")
      #expect(last.parent?.recordID.recordName == "album")
      let url = try #require((last["photo"] as? CKAsset)?.fileURL)
      #expect(try Data(contentsOf: url) == Data([1, 2, 3]))
    }
  }

  @Test func `a record that is there already loses a parent that the export does not have`()
    async throws
  {
    try await ServerProcess.run { server in
      let phone = try server.device("phone", of: "alice")
      try await phone.makeZone("Z")
      try await phone.save("a")
      let lines = try await server.exported()
      let bobs = try server.device("bobs", of: "bob")
      try await bobs.makeZone("Z")
      let below = bobs.record("a")
      below.setParent(try await bobs.save("album"))
      try await bobs.database.save(below)
      let back = try await server.importForBob(lines)
      #expect(back.status == 0, "\(back.talk)")
      #expect(try await bobs.fetch("a").parent == nil)
    }
  }

  @Test func `the last of a record's lines counts, also where an earlier one had to wait`()
    async throws
  {
    try await ServerProcess.run { server in
      let phone = try server.device("phone", of: "alice")
      try await phone.makeZone("Z")
      let album = try await phone.save("album")
      let below = phone.record("a", ["title": "first"])
      below.setParent(album)
      try await phone.database.save(below)
      album["title"] = "album"
      try await phone.database.save(album)
      let lines = try await server.exported()
      let first = try #require(lines.firstIndex { $0.contains("\"first\"") })
      let (second, third) = (
        lines[first].replacing("\"first\"", with: "\"second\""),
        lines[first].replacing("\"first\"", with: "\"third\"")
      )
      // The first is sent before the second comes, and refused; the album comes before the third.
      let many =
        lines[...first] + [second, lines[first + 1], third, "{\"end\":true,\"records\":4}"]
      let back = try await server.importForBob(many)
      #expect(back.status == 0 && back.talk.contains("4 records of bob"), "\(back.talk)")
      let record = try await server.device("bobs", of: "bob").fetch("a")
      #expect(record["title"] == "third")
    }
  }

  @Test func `an export that fails leaves no file behind, and its name is free for the next`()
    async throws
  {
    try await ServerProcess.run { server in
      let phone = try server.device("phone", of: "alice")
      try await phone.makeZone("Z")
      let file = server.folder + "/alice.export"
      let wrong = try await Tool.run("export", "--user", "alic", file, "--data", server.folder)
      #expect(wrong.status != 0 && wrong.talk.contains("alic"), "\(wrong.talk)")
      #expect(!FileManager.default.fileExists(atPath: file))
      let right = try await Tool.run("export", "--user", "alice", file, "--data", server.folder)
      #expect(right.status == 0, "\(right.talk)")
    }
  }

  @Test func `a device of a deleted user is no longer signed in`() async throws {
    try await ServerProcess.run { server in
      let phone = try server.device("phone", of: "alice")
      try await phone.makeZone("Z")
      let gone = try await Tool.run("user", "delete", "alice", "--data", server.folder)
      #expect(gone.status == 0, "\(gone.talk)")
      let error = await #expect(throws: CKError.self) { try await phone.save("a") }
      #expect(error?.code == .notAuthenticated)
    }
  }
}

extension ServerProcess {
  private var file: String { folder + "/alice.export" }

  /// The lines of a file with alice's data.
  fileprivate func exported() async throws -> [String] {
    let out = try await Tool.run("export", "--user", "alice", file, "--data", folder)
    #expect(out.status == 0, "\(out.talk)")
    return try String(contentsOfFile: file, encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }

  /// Imports a file of these lines as bob's data.
  fileprivate func importForBob(_ lines: some Sequence<String>) async throws -> Tool.Outcome {
    try lines.joined(separator: "\n").appending("\n").write(
      toFile: file, atomically: true, encoding: .utf8)
    return try await Tool.run("import", file, "--user", "bob", "--data", folder)
  }
}
