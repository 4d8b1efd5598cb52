// --json is understood wherever something is printed, and what it prints is JSON.

import Foundation
import Testing

@Suite struct JSONAnswerTests {
  /// What prints no answer: programs that run until they are ended, and texts for other programs.
  private static let others: Set = [
    "serve", "exec", "demo", "demo-device", "completions", "manual", "help",
  ]

  @Test func `every command that prints an answer takes --json`() async throws {
    let text = try await Tool.run("--experimental-dump-help").output
    let leaves = try CommandTree(text).leaves
    #expect(leaves.count > 80)
    let without = leaves.filter {
      !$0.options.contains("json")
        && !Self.others.contains($0.name.split(separator: " ").last.map(String.init) ?? "")
    }
    #expect(without.map(\.name) == [])
  }

  /// In an order in which each finds what it is about.
  private static let changes: [[String]] = [
    ["user", "create", "carol"], ["user", "change", "carol", "--given-name", "Carol"],
    ["user", "token", "carol"], ["user", "signout", "carol"],
    ["token", "create", "web"], ["token", "revoke", "web"],
    ["key", "create", "robot"], ["key", "revoke", "robot"],
    ["operator", "token", "create", "ci"], ["operator", "token", "revoke", "ci"],
    ["operator", "invitation", "create", "dan"], ["operator", "invitation", "revoke", "dan"],
    ["zones", "create", "Notes", "Old", "--user", "alice"],
    ["zones", "delete", "Notes", "--user", "alice"], ["zones", "purge", "Old", "--user", "alice"],
    ["records", "create", "Note", "n1", "--user", "alice", "--set", "title=Milk"],
    ["records", "get", "n1", "--user", "alice"],
    ["records", "update", "n1", "--user", "alice", "--set", "title=Bread"],
    ["schema", "show"], ["schema", "index", "remove", "Note", "title", "searchable"],
    ["schema", "index", "add", "Note", "title", "searchable"], ["schema", "deploy"],
    ["records", "delete", "n1", "--user", "alice"],
    ["webhook", "add", "http://127.0.0.1:1/hook"], ["push", "retry"],
    ["faults", "add", "conflict"], ["faults", "release"], ["faults", "clear"],
    ["operator", "link"],
  ]

  @Test func `each change answers a program with one object, and says to people what it did`()
    async throws
  {
    try await Shell.serving(
      "--dev", "--store", "memory", "--push-allow", "127.0.0.1"
    ) { brume in
      for change in Self.changes {
        let words = change.joined(separator: " ")
        let outcome = try await brume(change + ["--json"])
        #expect(outcome.status == 0, "\(words): \(outcome.talk)")
        #expect(Self.objects(outcome.output).count == 1, "\(words): \(outcome.output)")
      }
      let webhook = try #require(
        Self.objects(try await brume("webhook", "list", "--json").output).first)
      let id = try #require(webhook["id"] as? String)
      for verb in ["disable", "enable", "remove"] {
        let outcome = try await brume("webhook", verb, id, "--json")
        #expect(Self.objects(outcome.output).count == 1, "\(verb): \(outcome.output)")
        #expect(outcome.talk.contains(id), "\(verb): \(outcome.talk)")
      }
    }
  }

  @Test func `files that are made and taken answer with what is in them`() async throws {
    try await Shell.serving { brume in
      _ = try await brume("records", "create", "Note", "n1", "--user", "alice")
      let (export, backup) = ("\(brume.folder)/a.jsonl", "\(brume.folder)/all.brume")
      let exported = try await brume("export", "--user", "alice", export, "--json")
      #expect(Self.objects(exported.output).first?["records"] as? Int == 1, "\(exported.talk)")
      let imported = try await brume("import", export, "--user", "bob", "--json")
      #expect(Self.objects(imported.output).first?["records"] as? Int == 1, "\(imported.talk)")
      let made = try await brume("backup", backup, "--json")
      let read = try await Tool.run("backup", "--verify", backup, "--json")
      let hashes = [made, read].map { Self.objects($0.output).first?["hash"] as? String }
      #expect(hashes[0] != nil && hashes[0] == hashes[1], "\(made.talk)\(read.talk)")
      let restored = try await Tool.run(
        "restore", backup, "--data", "\(brume.folder)/restored", "--json")
      #expect(
        Self.objects(restored.output).first?["hash"] as? String == hashes[0], "\(restored.talk)")
    }
  }

  /// The lines of an output, if all of them are objects.
  private static func objects(_ output: String) -> [[String: Any]] {
    let lines = output.split(separator: "\n")
    let read = lines.compactMap {
      (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
    }
    return read.count == lines.count ? read : []
  }
}
