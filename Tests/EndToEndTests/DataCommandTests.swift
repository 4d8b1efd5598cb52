// Commands about records, zones, schemas and users against a server: what they print and how they end.

import BrumeWire
import Foundation
import Testing

@Suite struct DataCommandTests {
  private func json(_ line: String) -> JSON {
    (try? JSON(parsing: Array(line.utf8))) ?? .null
  }

  @Test func `a record is created, found, changed and deleted`() async throws {
    try await Shell.serving { brume in
      let made = try await brume(
        "records", "create", "Note", "n1", "--user", "alice", "--set", "title=Hello", "--set",
        "rank=3")
      #expect(made.status == 0, "\(made.talk)")
      let record = json(made.output)
      #expect(record["fields"]?["rank"]?["type"] == "INT64")
      let found = try await brume(
        "records", "query", "Note", "--user", "alice", "--where", "rank > 2 AND title == 'Hello'",
        "--sort", "rank:desc")
      #expect(json(found.output)["recordName"] == "n1", "\(found.talk)")
      let dated = try await brume(
        "records", "query", "Note", "--user", "alice", "--where", "modificationDate <= now()")
      #expect(dated.status == 0, "a question has a moment: \(dated.talk)")
      #expect(dated.output.contains("n1"))
      let tag = record["recordChangeTag"]?.string ?? ""
      let changed = try await brume(
        "records", "update", "n1", "--user", "alice", "--set", "title=Bye", "--change-tag", tag)
      #expect(json(changed.output)["fields"]?["title"]?["value"] == "Bye", "\(changed.talk)")
      let conflict = try await brume(
        "records", "update", "n1", "--user", "alice", "--set", "title=No", "--change-tag", tag)
      #expect(conflict.status == 1)
      #expect(json(conflict.output)["fields"]?["title"]?["value"] == "Bye", "the server's record")
      let cleared = try await brume(
        "records", "update", "n1", "--user", "alice", "--clear", "title")
      #expect(json(cleared.output)["fields"]?["title"] == nil, "\(cleared.output)")
      let plan = try await brume("records", "query", "Note", "--user", "alice", "--plan")
      #expect(json(plan.output)["rows"] == 1)
      let gone = try await brume("records", "delete", "n1", "--user", "alice")
      #expect(gone.talk.contains("deleted n1"))
      let again = try await brume("records", "delete", "n1", "--user", "alice")
      #expect(again.status == 0)
      #expect(
        again.talk == "there is no record 'n1' in zone '_defaultZone'; --zone names another\n")
      let missing = try await brume("records", "get", "n1", "--user", "alice")
      #expect(missing.status == 1 && missing.talk.contains("not found"), "\(missing.talk)")
      let never = try await brume("records", "update", "n1", "--user", "alice", "--set", "a=1")
      #expect(never.status == 1, "an update makes no record")
    }
  }

  @Test func `zones are made, listed as a table and as JSON, and deleted`() async throws {
    try await Shell.serving { brume in
      let made = try await brume("zones", "create", "Trails", "Lakes", "--user", "alice")
      #expect(made.status == 0 && made.talk.contains("Trails, Lakes"), "\(made.talk)")
      let table = try await brume("zones", "list", "--user", "alice")
      let rows = table.output.split(separator: "\n").map {
        $0.split(separator: " ").map(String.init)
      }
      #expect(rows.first == ["zone", "owner", "position", "changed", "shared"])
      #expect(rows.dropFirst().map(\.[0]) == ["Lakes", "Trails", "_defaultZone"])
      let lines = try await brume("zones", "list", "--user", "alice", "--json")
      #expect(
        lines.output.split(separator: "\n").map { json(String($0))["zoneID"]?["zoneName"] } == [
          "Lakes", "Trails", "_defaultZone",
        ])
      #expect(try await brume("zones", "delete", "Lakes", "--user", "alice").status == 0)
      let again = try await brume("zones", "delete", "Lakes", "--user", "alice")
      #expect(again.status == 1 && again.talk.contains("Lakes"), "\(again.talk)")
    }
  }

  @Test func `a schema is checked, compared, imported and reset`() async throws {
    try await Shell.serving { brume in
      let made = try await brume("records", "create", "Note", "n1", "--user", "alice")
      #expect(made.status == 0, "\(made.talk)")
      let wrong = try brume.file("wrong.ckdb", "DEFINE SCHEMA\n  DROP X;\n")
      let checked = try await brume("schema", "validate", wrong)
      #expect(checked.status == 65)
      #expect(checked.output.hasPrefix("\(wrong):2:3: encountered 'DROP'"), "\(checked.output)")
      let empty = try brume.file("empty.ckdb", "DEFINE SCHEMA")
      #expect(try await brume("schema", "validate", empty).status == 0)
      #expect(try await brume("schema", "validate", "/nowhere").status == 66)
      let same = try await brume("schema", "diff", empty)
      #expect(same.status == 0 && same.output.contains("remove record type Note"), "\(same.talk)")
      let unasked = try await brume("schema", "reset")
      #expect(unasked.status == 1 && unasked.talk.contains("--allow-drops"), "\(unasked.talk)")
      #expect(unasked.output.contains("all its records are deleted"))
      #expect(try await brume("schema", "diff", empty, "--exit-code").status == 1)
      let refused = try await brume("schema", "import", empty)
      #expect(refused.status == 1 && refused.talk.contains("--allow-drops"), "\(refused.talk)")
      #expect(refused.output.contains("all its records are deleted"))
      let dry = try await brume("schema", "deploy", "--dry-run")
      #expect(dry.output.contains("add record type Note"), "\(dry.talk)")
      #expect(try await brume("schema", "import", empty, "--allow-drops").status == 0)
      let reset = try await brume("schema", "reset")
      #expect(reset.status == 0 && reset.talk.contains("nothing would change"), "\(reset.talk)")
      let nothing = try await brume("schema", "diff", "--exit-code")
      #expect(nothing.status == 0, "\(nothing.output)")
    }
  }

  @Test func `a user is deleted after a look at what goes`() async throws {
    try await Shell.serving { brume in
      #expect(try await brume("zones", "create", "Trails", "--user", "bob").status == 0)
      let dry = try await brume("user", "delete", "bob", "--dry-run")
      #expect(dry.status == 0 && dry.output.contains("zones"), "\(dry.talk)")
      #expect(dry.talk.contains("would delete 'bob' and what is listed above"), "\(dry.talk)")
      #expect(try await brume("user", "token", "bob").status == 0)
      let done = try await brume("user", "delete", "bob")
      #expect(done.status == 0 && done.talk.contains("deleted 'bob'"), "\(done.talk)")
      let gone = try await brume("user", "token", "bob")
      #expect(gone.status == 1 && gone.talk.contains("brume user create bob"))
      #expect(try await brume("user", "create", "carol").status == 0)
      let empty = try await brume("user", "delete", "carol", "--dry-run")
      empty.expect(0, "would delete 'carol' of whom nothing is stored")
    }
  }

  @Test func `deletions whose age nobody noted are said to be such`() async throws {
    try await Shell.serving { brume in
      #expect(try await brume("zones", "create", "Trails", "--user", "alice").status == 0)
      let forgotten = try await brume("deletions", "forget", "--older-than", "1", "--dry-run")
      forgotten.expect(0, "in which it is not known what is so old: ", "--deletion-days")
    }
  }

  @Test func `a user's data goes into a file and comes back for another, files included`()
    async throws
  {
    try await Shell.serving { brume in
      #expect(try await brume("zones", "create", "Trails", "--user", "alice").status == 0)
      // The child comes before its parent in the file.
      for (name, more) in [("z-parent", []), ("a-child", ["--fields", Self.parent])] {
        let made = try await Tool.run(
          ["records", "create", "Note", name, "--user", "alice", "--zone", "Trails"] + more
            + ["--set", "title=\(name)", "--data", brume.folder])
        #expect(made.status == 0, "\(made.talk)")
      }
      let file = "\(brume.folder)/alice.export"
      // An export that was cut short left this.
      let part = try brume.file("alice.export.part", "{\"brume\":\"export\",")
      let out = try await brume("export", "--user", "alice", file)
      #expect(!FileManager.default.fileExists(atPath: part))
      #expect(out.status == 0 && out.talk.contains("1 zones, 2 records"), "\(out.talk)")
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let noted = try await brume("audit", "list")
      #expect(noted.output.contains("users/export"), "\(noted.output)")
      let again = try await brume("export", "--user", "alice", file)
      #expect(again.status == 73 && again.talk.contains("exists already"))
      let back = try await brume("import", file, "--user", "carol")
      #expect(back.status == 0 && back.talk.contains("made the account 'carol'"), "\(back.talk)")
      let child = try await brume(
        "records", "get", "a-child", "--user", "carol", "--zone", "Trails")
      #expect(json(child.output)["fields"]?["title"]?["value"] == "a-child", "\(child.talk)")
      let reference = json(child.output)["fields"]?["above"]?["value"]
      #expect(reference?["recordName"] == "z-parent")
      let repeated = try await brume("import", file, "--user", "carol")
      #expect(repeated.status == 0, "\(repeated.talk)")
      try String(contentsOfFile: file, encoding: .utf8).dropLast(30)
        .write(toFile: file, atomically: true, encoding: .utf8)
      let cut = try await brume("import", file, "--user", "dave")
      #expect(cut.status == 65 && cut.talk.contains("no whole export"), "\(cut.talk)")
      let users = try await brume("user", "list")
      #expect(!users.output.contains("dave"), "half an export leaves no trace")
      #expect(try await brume("import", "/nowhere").status == 66)
    }
  }

  private static let parent =
    #"{"above": {"value": {"recordName": "z-parent", "action": "VALIDATE"}}}"#

  @Test func `version says the same as JSON`() async throws {
    let line = try await Tool.run("version")
    let object = json(try await Tool.run("version", "--json").output)
    let version = object["version"]?.string ?? ""
    #expect(!version.isEmpty && line.output.hasPrefix("brume \(version) ("))
    #expect(try await Tool.run("--version").output == line.output)
  }

  @Test(arguments: [
    ["records", "query", "Note"], ["records", "query"], ["records", "delete", "--user", "alice"],
    ["records", "query", "Note", "--database", "mine"],
    ["records", "query", "Note", "--user", "alice", "--limit", "0"],
    ["records", "create", "Note", "--user", "alice", "--set", "title"],
    ["records", "update", "n1", "--user", "alice"], ["push", "tail", "--device", "phone"],
    ["records", "get", "n1", "--as", "bob", "--database", "shared"],
    ["records", "creat", "Note"], ["zones", "create", "--user", "alice"], ["zones", "list"],
    ["schema", "validate"], ["schema", "import", "--allow-drop", "x"], ["user", "delete"],
    ["version", "--yaml"], ["export", "alice.export"], ["import"],
  ])
  func `a wrong flag ends with 64 and says what is right`(arguments: [String]) async throws {
    let outcome = try await Tool.run(arguments)
    #expect(outcome.status == 64, "\(outcome.talk)")
    #expect(outcome.output.isEmpty)
    #expect(outcome.talk.contains("Error:") && outcome.talk.contains("Usage:"), "\(outcome.talk)")
  }
}
