// The command line as a process: exit statuses, what goes where, one server per folder and port.

import Foundation
import Testing

@Suite struct CommandLineTests {
  @Test func `help lists only what is there`() async throws {
    let help = try await Tool.run("--help")
    #expect(help.status == 0)
    let listed = help.output.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("  "), let first = line.dropFirst(2).first, first.isLetter else {
        return nil
      }
      return String(line.dropFirst(2).prefix { $0 != " " })
    }
    #expect(listed.contains("serve") && listed.contains("exec"))
    for noun in listed where noun != "See" {
      #expect(try await Tool.run(noun, "--help").status == 0, "\(noun)")
    }
  }

  @Test(arguments: [
    ["serve", "--port", "x"], ["serve", "--bogus"], ["serve", "--store", "postgres:x"], ["exec"],
    ["status", "--format", "xml"], ["nonsense"],
  ])
  func `a command that is not understood ends with 64 and says why on standard error`(
    arguments: [String]
  ) async throws {
    let outcome = try await Tool.run(arguments)
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(!outcome.talk.isEmpty)
  }

  @Test func `conformance plays chosen cases, skips what it cannot, and says so`() async throws {
    try await Tool.withFolder { folder in
      let server = try await Tool.serve(
        "--dev", "--port", "0", "--store", "memory", "--data", folder)
      let lines = server.lines.compactMap { line -> (String, String)? in
        let parts = line.split(separator: "=", maxSplits: 1)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
      }
      let values = Dictionary(lines, uniquingKeysWith: { $1 })
      let place = [
        "conformance", "--url", try #require(values["BRUME_URL"]),
        "--container", try #require(values["BRUME_CONTAINER"]),
        "--api-token", try #require(values["BRUME_API_TOKEN"]), "--filter", "sharing/",
      ]
      let outcome = try await Tool.run(
        place + ["--user-token", try #require(values["BRUME_USER_TOKEN_ALICE"])])
      let nobody = try await Tool.run(place)
      _ = await Tool.end(server.process)
      #expect(outcome.status == 0, "\(outcome.output)")
      #expect(outcome.output.contains("ok  sharing/sharing: a share is made from its root"))
      #expect(outcome.output.contains("it needs a second user: --second-user-token"))
      #expect(outcome.talk.contains(" passed, 0 failed, "))
      // A run in which nothing ran is no success.
      #expect(nobody.status == 1)
      #expect(nobody.output.contains("skipped  "))
      #expect(nobody.talk.contains("no case ran, so nothing is known of the server"))
      #expect(nobody.talk.contains("--user-token"))
    }
  }

  @Test func `time is moved by a command, and only where it stands still`() async throws {
    try await Tool.withFolder { folder in
      let server = try await Tool.serve(
        "--dev", "--clock", "manual", "--port", "0", "--store", "memory", "--data", folder)
      #expect(server.lines.contains { $0.contains("brume clock advance 1m") }, "\(server.lines)")
      let before = try await Tool.run("clock", "show", "--data", folder)
      let after = try await Tool.run("clock", "advance", "1h", "--data", folder)
      #expect(before.status == 0 && after.status == 0 && before.output != after.output)
      let next = try await Tool.run("clock", "next", "--data", folder)
      #expect(next.status == 0 && next.talk.contains("moved to: "), "\(next.talk)")
      for wrong in ["1", "m", "-1m", "1x", ""] {
        #expect(try await Tool.run("clock", "advance", "--data", folder, "--", wrong).status == 64)
      }
      #expect(await Tool.end(server.process) == 0)
      let real = try await Tool.run("serve", "--clock", "manual", "--data", folder)
      #expect(real.status == 64 && real.talk.contains("add --dev"), "\(real.talk)")
    }
  }

  @Test func `a health check asks the server itself, whatever stands in front of it`() async throws
  {
    try await Tool.withFolder { folder in
      let data = ["--data", folder]
      let check = ["status", "--ready"] + data
      #expect(try await Tool.run(check).status == 1)
      // Nobody listens at the address that clients use: a proxy may wait for this very check.
      let server = try await Tool.serve(
        "--port", "0", "--base-url", "https://brume.invalid", data[0], data[1])
      let serving = try await Tool.run(check)
      #expect(serving.status == 0, "\(serving.talk)")
      #expect(serving.output == "ready\n")
      let status = try await Tool.run(["status"] + data)
      #expect(status.output.contains("https://brume.invalid"), "\(status.talk)")
      // Killed, it leaves its address behind.
      _ = await Tool.end(server.process, with: SIGKILL)
      let gone = try await Tool.run(check)
      #expect(gone.status == 1)
      #expect(gone.talk.contains("no server answers"))
    }
  }

  @Test func `a server prints its clients' environment, and status prints it again`() async throws {
    try await Tool.withFolder { folder in
      let server = try await Tool.serve("--dev", "--port", "0", "--data", folder)
      let status = try await Tool.run("status", "--data", folder, "--format", "env")
      #expect(status.status == 0, "\(status.talk)")
      let names = status.output.split(separator: "\n").map { $0.prefix { $0 != "=" } }
      #expect(Set(names).isSuperset(of: ["BRUME_URL", "BRUME_API_TOKEN", "BRUME_USER_TOKEN_BOB"]))
      let url = server.lines.first { $0.hasPrefix("BRUME_URL=") }
      #expect(url.map { status.output.contains($0) } == true)

      let second = try await Tool.run("serve", "--dev", "--port", "0", "--data", folder)
      #expect(second.status == 73)
      #expect(second.talk.contains("another server uses the data folder"))

      let port = url?.split(separator: ":").last.map(String.init) ?? ""
      let third = try await Tool.run(
        "serve", "--store", "memory", "--port", port, "--data", folder + "-other")
      #expect(third.status == 73)
      #expect(third.talk.contains("port \(port)"))
      try? FileManager.default.removeItem(atPath: folder + "-other")

      #expect(await Tool.end(server.process) == 0)
      #expect(!FileManager.default.fileExists(atPath: folder + "/server.json"))
    }
  }

  @Test func `config shows what serve would take, and refuses what serve would refuse`()
    async throws
  {
    let table = try await Tool.run("config", "show", "--port", "3")
    #expect(table.status == 0, "\(table.talk)")
    let rows = table.output.split(separator: "\n").map {
      $0.split(separator: " ", omittingEmptySubsequences: true)
    }
    #expect(rows.contains(["port", "3", "--port"]))
    #expect(rows.contains(["host", "127.0.0.1", "default"]))
    let lines = try await Tool.run("config", "show", "--json", "--dev")
    #expect(lines.output.contains(#"{"setting":"dev","source":"--dev","value":"true"}"#))
    let wrong = try await Tool.run("config", "show", "--port", "x")
    #expect(wrong.status == 64)
    #expect(wrong.talk.contains("--port"))
  }

  @Test func `accounts that a command makes work in the next`() async throws {
    try await Tool.withFolder { folder in
      let server = try await Tool.serve("--port", "0", "--data", folder)
      let data = ["--data", folder]
      #expect(server.lines.contains { $0.contains("brume user create") })
      #expect(server.lines.contains { $0.contains("--environment production") })
      let made = try await Tool.run("user", "create", "carol", data[0], data[1])
      #expect(made.status == 0, "\(made.talk)")
      let token = try await Tool.run("token", "create", "web", data[0], data[1])
      #expect(token.output.count == 65)
      #expect(token.talk.contains("for container 'iCloud.org.example.app' in development"))
      let zones = try await Tool.run("zones", "list", "--user", "carol", data[0], data[1])
      #expect(zones.output.contains("_defaultZone"), "\(zones.talk)")
      let revoked = try await Tool.run("token", "revoke", "web", data[0], data[1])
      #expect(revoked.output == "revoked the API token 'web'\n", "\(revoked.talk)")
      let again = try await Tool.run("token", "revoke", "web", data[0], data[1])
      #expect(again.status == 1 && again.talk.contains("brume token list"), "\(again.talk)")
      let key = try await Tool.run("key", "create", "backend", data[0], data[1])
      let id = String(key.output.prefix { $0 != "\n" })
      let noKey = try await Tool.run("key", "revoke", id, data[0], data[1])
      #expect(noKey.output == "revoked the key 'backend'\n", "\(noKey.talk)")
      let missing = try await Tool.run("user", "token", "dave", data[0], data[1])
      #expect(missing.status == 1)
      #expect(missing.talk.contains("brume user create dave"))
      #expect(await Tool.end(server.process, with: SIGINT) == 0)
    }
  }

  @Test func `SCH-09 roles of the schema are given to users and taken away`() async throws {
    try await Tool.withFolder { folder in
      let server = try await Tool.serve("--dev", "--port", "0", "--data", folder)
      let file = folder + "/roles.ckdb"
      try "DEFINE SCHEMA CREATE ROLE editor;".write(toFile: file, atomically: true, encoding: .utf8)
      func role(_ arguments: String...) async throws -> Tool.Outcome {
        try await Tool.run(["schema", "role"] + arguments + ["--data", folder])
      }
      let early = try await role("assign", "editor", "alice")
      #expect(early.status == 1)
      #expect(early.talk.contains("CREATE ROLE editor"))
      #expect(try await Tool.run("schema", "import", file, "--data", folder).status == 0)
      #expect(try await role("assign", "editor", "alice").status == 0)
      #expect(try await role("list").output.contains("alice"))
      #expect(try await role("remove", "editor", "alice").status == 0)
      #expect(try await !role("list").output.contains("alice"))
      #expect(try await Tool.run("schema", "deploy", "--data", folder).status == 0)
      let deployed = try await Tool.run(
        "schema", "show", "--environment", "production", "--data", folder)
      #expect(deployed.output.contains("CREATE ROLE editor"), "\(deployed.talk)")
      #expect(try await Tool.run("user", "signout", "alice", "--data", folder).status == 0)
      #expect(await Tool.end(server.process) == 0)
    }
  }

  @Test func `an empty key file is reported as one`() async throws {
    let outcome = try await Tool.run(
      "apns", "add", "--topic", "org.example.app", "--team", "TEAM123456", "--key-id", "KEY1234567",
      "--key-file", "/dev/null")
    #expect(outcome.status == 65)
    #expect(outcome.talk.contains("the key file '/dev/null' is empty"), "\(outcome.talk)")
  }

  @Test func `what cannot be an ID of Apple's is refused before the key file is read`() async throws
  {
    let outcome = try await Tool.run(
      "apns", "add", "--topic", "org.example.app", "--team", "ABC", "--key-id", "KEY1234567",
      "--key-file", "/never")
    #expect(outcome.status == 64)
    #expect(outcome.talk.contains("--team is Apple's team ID, ten characters"), "\(outcome.talk)")
  }

  @Test func `an option of the command that is meant where none is named is explained as its own`()
    async throws
  {
    let outcome = try await Tool.run("usage", "--span", "year")
    #expect(outcome.status == 64)
    #expect(outcome.talk.contains("'year' is invalid for '--span"), "\(outcome.talk)")
    #expect(!outcome.talk.contains("where a command is expected"))
    let help = try await Tool.run("usage", "--help")
    #expect(help.status == 0 && help.output.contains("SUBCOMMANDS:"))
    #expect(help.output.contains("'brume usage' alone is 'brume usage show'"), "\(help.output)")
    #expect(help.output.contains("--span"))
    #expect(try await Tool.run("usage", "nope", "--help").status == 64)
  }

  @Test func `no faults are a sentence, one is a line`() async throws {
    try await Tool.withFolder { folder in
      let server = try await Tool.serve(
        "--dev", "--port", "0", "--store", "memory", "--data", folder)
      let none = try await Tool.run("faults", "list", "--data", folder)
      #expect(none.status == 0 && none.output.isEmpty)
      #expect(none.talk.contains("brume faults add"))
      #expect(try await Tool.run("faults", "add", "conflict", "--data", folder).status == 0)
      #expect(try await Tool.run("faults", "list", "--data", folder).output.contains("conflict"))
      #expect(await Tool.end(server.process) == 0)
    }
  }

  @Test func `exec gives a command its server and returns its exit status`() async throws {
    let outcome = try await Tool.run(
      "exec", "--users", "ann,ben", "--", "sh", "-c",
      "env | grep ^BRUME_ | cut -d= -f1; test -r \"$BRUME_KEY_FILE\" && exit 7")
    #expect(outcome.status == 7)
    let names = outcome.output.split(separator: "\n")
    for name in ["URL", "CONTAINER", "USER_TOKEN", "USER_TOKEN_ANN", "USER_TOKEN_BEN", "KEY_ID"] {
      #expect(names.contains("BRUME_\(name)"))
    }
    #expect(!names.contains("BRUME_USER_TOKEN_ALICE"))
  }

  @Test func `exec takes names with spaces between them, and none that share a variable`()
    async throws
  {
    let outcome = try await Tool.run(
      "exec", "--users", "ann, ben", "--", "sh", "-c", "env | grep -c ^BRUME_USER_TOKEN_")
    outcome.expect(0)
    #expect(outcome.output == "2\n")
    try await Tool.run("exec", "--users", "a-b,a_b", "--", "true").expect(
      64, "--users has 'a-b' and 'a_b', and BRUME_USER_TOKEN_A_B")
  }

  @Test func `a signal to exec reaches the command, which decides what to do`() async throws {
    let outcome = try await Tool.run(
      "exec", "--", "sh", "-c", "trap 'exit 5' TERM; kill -TERM $PPID; while :; do sleep 0.1; done")
    #expect(outcome.status == 5)
  }

  @Test func `exec reports a command's signal as a shell would, and one that is missing`()
    async throws
  {
    #expect(try await Tool.run("exec", "--", "sh", "-c", "kill -9 $$").status == 137)
    let missing = try await Tool.run("exec", "--", "no-such-command")
    missing.expect(127, "Error: there is no command 'no-such-command'; check its name")
    // Nothing else: the server ends in good order.
    #expect(missing.talk.split(separator: "\n").count == 1)
    try await Tool.run("exec", "--", "/no/such/command").expect(127, "'/no/such/command'")
  }

  @Test func `exec reports what is there and no command as a shell would`() async throws {
    try await Tool.withFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let file = folder + "/letter"
      try "Dear".write(toFile: file, atomically: true, encoding: .utf8)
      try await Tool.run("exec", "--", file).expect(126, "chmod +x \(file)")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
      try await Tool.run("exec", "--", file).expect(126, "'\(file)'", "#!/bin/sh")
      try await Tool.run("exec", "--", folder).expect(126, "'\(folder)' is a folder")
    }
  }

  @Test func `a rule that a command breaks is reported in its own words`() async throws {
    let outcome = try await Tool.run("exec", "--users", "a b", "--", "true")
    #expect(outcome.status == 1)
    #expect(outcome.talk.hasPrefix("Error: a user name must not be empty"), "\(outcome.talk)")
  }
}
