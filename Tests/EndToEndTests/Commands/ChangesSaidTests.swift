// Commands that change something say what they did, in one line.

import BrumeWire
import Foundation
import Testing

@Suite struct ChangesSaidTests {
  @Test func `a webhook is named that is called no more, called again, or removed`()
    async throws
  {
    try await Shell.serving(
      "--dev", "--store", "memory", "--push-allow", "127.0.0.1"
    ) { brume in
      let added = try await brume("webhook", "add", "http://127.0.0.1:1/hook")
      let id = String(added.output.prefix { $0 != "\n" })
      #expect(
        added.talk
          == "called with every change of container 'iCloud.org.example.app' in development; "
          + "the secret is shown this once\n")
      let disabled = try await brume("webhook", "disable", id)
      #expect(
        disabled.talk
          == "the webhook '\(id)' is not called any more; 'brume webhook enable \(id)' goes on\n")
      let listed = try await brume("webhook", "list")
      #expect(listed.output.contains("switched off by an operator"), "\(listed.output)")
      let enabled = try await brume("webhook", "enable", id)
      #expect(enabled.talk == "the webhook '\(id)' is called again, from where it stopped\n")
      let removed = try await brume("webhook", "remove", id)
      #expect(removed.talk == "removed the webhook '\(id)'\n")
      #expect(removed.status == 0 && removed.output.isEmpty)
      try await brume("webhook", "remove", id).expect(1, "there is no webhook '\(id)'")
    }
  }

  @Test func `a topic whose key is forgotten is named`() async throws {
    try await Shell.serving { brume in
      let pem = try await Self.key(brume)
      let add = try await brume(
        "apns", "add", "--topic", "org.example.app", "--team", "ABCDE12345", "--key-id",
        "ABCDE12345", "--key-file", pem)
      add.expect(0, "pushes to org.example.app")
      let removed = try await brume("apns", "remove", "org.example.app")
      #expect(removed.status == 0)
      #expect(removed.talk == "removed the key of 'org.example.app'; pushes to its devices wait\n")
    }
  }

  @Test func `public records of a user who is deleted are found and deleted, as the page says`()
    async throws
  {
    try await Shell.serving { brume in
      try await brume("user", "create", "carol").expect(0)
      let place = ["--database", "public"]
      try await brume(
        ["records", "create", "Tip", "t1", "--user", "carol", "--set", "text=x"] + place
      ).expect(0)
      let report = try await brume("user", "delete", "carol", "--json")
      let answer = try JSON(parsing: Array(report.output.utf8))
      let name = try #require(answer["recordName"]?.string)
      let query = ["records", "query", "Tip", "--where", "creatorUserRecordID == '\(name)'"]
      #expect(try await brume(query + place).output.hasPrefix(#"{"recordName":"t1""#))
      try await brume(["records", "delete", "t1"] + place).expect(1, "--user NAME")
      let deleted = try await brume(["records", "delete", "t1", "--user", "alice"] + place)
      #expect(deleted.status == 0)
      #expect(try await brume(query + place).output == "")
    }
  }

  @Test func `a schema that is written into a file names it`() async throws {
    try await Shell.serving { brume in
      let file = "\(brume.folder)/out.ckdb"
      let outcome = try await brume("schema", "export", file)
      outcome.expect(0)
      #expect(outcome.talk == "wrote the schema into '\(file)'\n")
    }
  }

  @Test func `a server key says for which container and environment it is`() async throws {
    try await Shell.serving { brume in
      let made = try await brume("key", "create", "k", "--environment", "production")
      let place = "for container 'iCloud.org.example.app' in production"
      #expect(made.talk == "\(place); the private key is shown this once\n")
    }
  }

  /// The private half of a server key is a key as Apple's are.
  private static func key(_ brume: Shell) async throws -> String {
    let made = try await brume("key", "create", "k")
    let pem = made.output.split(separator: "\n").dropFirst().joined(separator: "\n")
    return try brume.file("key.p8", pem + "\n")
  }
}
