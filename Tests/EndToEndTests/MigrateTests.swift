// A store that moves to PostgreSQL and back with the real command, and what devices notice of it.

import BrumeKit
import BrumeTestKit
import Foundation
import Testing

@Suite struct MigrateTests {
  /// One that keeps what it confirms, as `brume serve` wants it.
  private static let postgres = Result { try PostgresServer(["fsync=on"]) }

  @Test(.timeLimit(.minutes(3)))
  func `a store moves to PostgreSQL and back, its records are there and waiting pushes arrive`()
    async throws
  {
    let url = try Self.postgres.get().emptySchema()
    try await Tool.withFolder { folder in
      let token = try await Self.fill(folder)
      let there = try await Tool.run(
        "migrate", "--data", folder, "--from", "sqlite", "--to", url)
      #expect(there.status == 0, "\(there.talk)")
      #expect(there.talk.contains("copied records: "))
      try await ServerProcess.run(store: url, in: folder) { server in
        try await Self.check(server, token)
        try await Self.checkCommands(folder, url)
      }
      let stopped = try await Tool.run("doctor", "--deep", "--data", folder)
      #expect(
        stopped.status == 1
          && stopped.output.contains("its last server kept its records in 'postgres'"),
        "\(stopped.output)")
      #expect(!stopped.output.contains("\nread "), "\(stopped.output)")
      let named = try await Tool.run("doctor", "--deep", "--data", folder, "--store", "sqlite")
      #expect(named.output.contains("\nread "), "who names it wants it: \(named.output)")
      try await Self.moveBack(url, to: folder + "/back")
    }
  }

  /// Answers a change token of before.
  private static func fill(_ folder: String) async throws -> CKServerChangeToken {
    var token: CKServerChangeToken?
    try await ServerProcess.run(store: "sqlite", in: folder) { server in
      let mac = try server.device("mac", of: "alice")
      try await mac.makeZone("Z")
      try await mac.save("first", ["title": "one"])
      // Visible, as silent ones merge.
      try await mac.database.save(CKQuerySubscription.of("Note", id: "notes").alerting("new"))
      // The phone is registered and not there; the pad shows when the push was made.
      let phone = try server.device("phone", of: "alice")
      try await Brume.registerForRemoteNotifications(for: phone.container)
      let pad = try await Inbox(try server.device("pad", of: "alice"))
      token = try await mac.changes().token
      try await mac.save("second", ["title": "two"])
      #expect(try await pad.nextQuery().recordID == .named("second"))
    }
    return try #require(token)
  }

  private static func check(_ server: ServerProcess, _ token: CKServerChangeToken) async throws {
    let mac = try server.device("mac", of: "alice")
    let error = await #expect(throws: CKError.self) { try await mac.changes(since: token) }
    #expect(error?.code == .changeTokenExpired)
    let everything = try await mac.changes()
    #expect(everything.summary == ["+first", "+second"])
    #expect(try await mac.changes(since: everything.token).summary == [])
    // What waited for the phone comes.
    let phone = try await Inbox(try server.device("phone", of: "alice"))
    #expect(try await phone.nextQuery().recordID == .named("second"))
    try await mac.save("third")
    #expect(try await mac.changes(since: everything.token).summary == ["+third"])
  }

  /// With a server on the database.
  private static func checkCommands(_ folder: String, _ url: String) async throws {
    let doctor = try await Tool.run("doctor", "--data", folder, "--store", url)
    #expect(doctor.status == 0, "\(doctor.output)")
    for subject in [
      "version", "encoding", "durability", "tables", "rights", "connections", "clock", "distance",
    ] {
      #expect(doctor.output.contains("ok    database \(subject): "), "\(doctor.output)")
    }
    for deep in [[], ["--deep"]] {
      let other = try await Tool.run(["doctor", "--data", folder] + deep)
      #expect(other.status == 1, "the folder still has the store of before: \(other.output)")
      #expect(
        other.output.contains("its records in 'postgres', and this command looks at 'sqlite'"),
        "\(other.output)")
      #expect(!other.output.contains("\nread "), "another store is not read: \(other.output)")
    }
    let elsewhere = try Self.postgres.get().emptySchema()
    try await ServerProcess.run(store: elsewhere, in: folder + "/elsewhere") { _ in }
    let other = try await Tool.run("doctor", "--data", folder, "--store", elsewhere)
    #expect(
      other.status == 1 && other.output.contains("keeps its records in another database"),
      "\(other.output)")
    let refused = try await Tool.run(
      "migrate", "--data", folder + "/back", "--from", url, "--to", "sqlite")
    #expect(refused.status == 73)
    #expect(refused.talk.contains("a server uses the database"))
    let full = try await Tool.run("migrate", "--data", folder, "--from", "sqlite", "--to", url)
    #expect(full.status == 73)
    #expect(full.talk.contains("another server uses the data folder"))
    #expect(full.talk.contains("or name another folder with --data"), "\(full.talk)")
  }

  private static func moveBack(_ url: String, to folder: String) async throws {
    let back = try await Tool.run("migrate", "--data", folder, "--from", url, "--to", "sqlite")
    #expect(back.status == 0, "\(back.talk)")
    #expect(back.output.contains("both stores have the hash "))
    try await ServerProcess.run(store: "sqlite", in: folder) { server in
      let mac = try server.device("mac", of: "alice")
      #expect(try await mac.changes().summary == ["+first", "+second", "+third"])
    }
    let again = try await Tool.run("migrate", "--data", folder, "--from", url, "--to", "sqlite")
    #expect(again.status == 73)
    #expect(again.talk.contains("not empty"))
  }

  @Test func `a migration that makes no sense is refused before anything is touched`() async throws
  {
    try await Tool.withFolder { folder in
      for (from, to) in [("sqlite", "sqlite"), ("memory", "sqlite"), ("sqlite", "mysql://x")] {
        let outcome = try await Tool.run("migrate", "--data", folder, "--from", from, "--to", to)
        #expect(outcome.status == 64, "\(outcome.talk)")
      }
      let missing = try await Tool.run(
        "migrate", "--data", folder, "--from", "sqlite", "--to", "postgres://nobody@127.0.0.1:1/x")
      #expect(missing.status == 66)
      #expect(missing.talk.contains("there is no 'brume.sqlite'"))
      let deep = try await Tool.run("doctor", "--deep", "--data", folder)
      #expect(deep.status == 1 && deep.output.contains("there is no 'brume.sqlite'"))
      #expect(!FileManager.default.fileExists(atPath: folder))
    }
  }

  @Test func `doctor says what is wrong with a database, and no password`() async throws {
    let unsafe = try PostgresServer(["synchronous_commit=off"])
    try await Tool.withFolder { folder in
      let doctor = try await Tool.run("doctor", "--data", folder, "--store", unsafe.url)
      #expect(doctor.status == 1)
      #expect(doctor.output.contains("wrong database durability: fsync, synchronous_commit off"))
      let ahead = try PostgresServer([
        "fsync=on", "synchronous_commit=local", "synchronous_standby_names=*",
      ])
      let standby = try await Tool.run("doctor", "--data", folder, "--store", ahead.url)
      #expect(standby.status == 1)
      #expect(
        standby.output.contains("wrong database durability: synchronous_commit local"),
        "\(standby.output)")
      #expect(standby.output.contains("failover") && standby.output.contains("set it to on"))
      let nobody = try await Tool.run(
        "doctor", "--data", folder, "--store", "postgres://brume:secret@127.0.0.1:1/x")
      #expect(nobody.output.contains("wrong database: no connection"))
      #expect(!nobody.output.contains("secret"))
      let words = try await Tool.run(
        "doctor", "--data", folder, "--store", "postgres://brume:secret@[")
      #expect(!words.output.contains("secret"))
    }
  }
}
