// Operators on the command line, and commands that reach a server by its address.

import Foundation
import Testing

@Suite struct OperatorCommandTests {
  private func passwordFile(_ folder: String) throws -> String {
    let file = "\(folder).password"
    try Data("correct horse\n".utf8).write(to: URL(filePath: file))
    return file
  }

  private func url(_ lines: [String]) throws -> String {
    let line = try #require(lines.first { $0.contains("Brume serves ") })
    return String(try #require(line.split(separator: " ").last))
  }

  @Test func `the first start prints a link for the first operator, and later ones do not`()
    async throws
  {
    try await Tool.withFolder { folder in
      let file = try passwordFile(folder)
      defer { try? FileManager.default.removeItem(atPath: file) }
      let data = ["--data", folder]
      var server = try await Tool.serve("--port", "0", data[0], data[1])
      let place = try url(server.lines) + "/_brume/console/signin#"
      #expect(server.lines.contains { $0.contains(place) }, "\(server.lines)")
      let link = try await Tool.run(["operator", "link"] + data)
      #expect(link.output.hasPrefix(place), "\(link.talk)")
      let add = ["operator", "add", "ada", "--read-only", "--password-file", file]
      #expect(try await Tool.run(add + data).status == 0)
      let list = try await Tool.run(["operator", "list"] + data)
      #expect(list.output.contains("ada") && list.output.contains("read-only"))
      let none = try await Tool.run(["operator", "link"] + data)
      #expect(none.status == 1 && none.talk.contains("brume operator password"))
      let password = ["operator", "password", "ada", "--password-file", file]
      #expect(try await Tool.run(password + data).status == 0)
      _ = await Tool.end(server.process)
      server = try await Tool.serve("--port", "0", data[0], data[1])
      #expect(!server.lines.contains { $0.contains("#") }, "\(server.lines)")
      #expect(try await Tool.run(["operator", "remove", "ada"] + data).status == 0)
      let lines = try await Tool.run(["audit", "list"] + data)
      #expect(lines.output.contains("operators/remove") && lines.output.contains("owner"))
      let newest = try #require(lines.output.split(separator: "\n").dropFirst().first)
      let time = try #require(newest.split(separator: " ").first)
      let since = try await Tool.run(["audit", "list", "--since", String(time)] + data)
      #expect(since.output.contains("operators/remove"), "\(since.talk)")
      let before = try await Tool.run(["audit", "list", "--until", "2026-01-01"] + data)
      #expect(!before.output.contains("operators/remove"), "\(before.talk)")
      let wrong = try await Tool.run(["audit", "list", "--since", "monday"] + data)
      #expect(wrong.status == 64 && wrong.talk.contains("2026-"), "\(wrong.talk)")
      #expect(!lines.output.contains("correct horse"))
      _ = await Tool.end(server.process)
    }
  }

  @Test(arguments: [[], ["--dev"]])
  func `a log in JSON has one line for a start, without a link and credentials`(
    mode: [String]
  ) async throws {
    try await Tool.withFolder { folder in
      let (process, log) = try await Tool.serve(
        loggingUntil: "Brume serves",
        ["--port", "0", "--data", folder, "--log-format", "json"] + mode)
      #expect(log.contains("brume operator link") == mode.isEmpty, "\(log)")
      #expect(!log.contains("signin#") && !log.contains("TOKEN"), "\(log)")
      for line in log.split(separator: "\n") { #expect(line.hasPrefix("{"), "\(line)") }
      #expect(await Tool.end(process) == 0)
      #expect(process.output.readDataToEndOfFile().isEmpty)
    }
  }

  @Test func `commands reach a server of another folder by its address and an admin token`()
    async throws
  {
    try await Tool.withFolder { folder in
      let server = try await Tool.serve(
        "--dev", "--port", "0", "--store", "memory", "--data", folder)
      let url = try url(server.lines)
      let make = ["operator", "token", "create", "ci", "--read-only", "--data", folder]
      let made = try await Tool.run(make)
      let token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(token.count == 64, "\(made.talk)")
      let place = ["--url", url, "--admin-token", token]
      let status = try await Tool.run(["status"] + place)
      #expect(status.status == 0 && status.output.contains(url), "\(status.talk)")
      let refused = try await Tool.run(["user", "create", "carol"] + place)
      #expect(refused.status == 77 && refused.talk.contains("may only read"))
      // One user's data are everything that user has.
      let file = "\(folder)/alice.export"
      let taken = try await Tool.run(["export", "--user", "alice", file] + place)
      #expect(taken.status == 77 && taken.talk.contains("may only read"), "\(taken.talk)")
      #expect(!FileManager.default.fileExists(atPath: file))
      // A device acknowledges what it gets.
      let tail = try await Tool.run(["push", "tail", "--user", "alice"] + place)
      #expect(tail.status == 77, "\(tail.talk)")
      #expect(tail.talk.contains("'brume push log --follow --user alice'"), "\(tail.talk)")
      #expect(try await Tool.run(["push", "log", "--user", "alice"] + place).status == 0)
      // A health check needs no token.
      #expect(try await Tool.run("status", "--ready", "--url", url).output == "ready\n")
      let without = try await Tool.run("status", "--url", url)
      #expect(without.status == 77 && without.talk.contains("BRUME_ADMIN_TOKEN"))
      let both = try await Tool.run(["status", "--data", folder] + place)
      #expect(both.status == 64)
      let revoke = ["operator", "token", "revoke", "ci", "--data", folder]
      #expect(try await Tool.run(revoke).status == 0)
      #expect(try await Tool.run(["status"] + place).status == 77)
      _ = await Tool.end(server.process)
    }
  }

  /// Each is also typed so: Tests/Independent/elsewhere.py.
  @Test func `every command that asks a server of a folder takes an address and a token instead`()
    async throws
  {
    let text = try await Tool.run("--experimental-dump-help").output
    let asking = try CommandTree(text).leaves.filter { $0.options.contains("data") }
    #expect(asking.count > 65)
    for command in asking where command.name != "migrate" {
      #expect(command.options.isSuperset(of: ["url", "admin-token"]), "\(command.name)")
    }
  }

  @Test func `logs and usage say what was asked of the server, and what of one request ID`()
    async throws
  {
    try await Tool.withFolder { folder in
      let server = try await Tool.serve(
        "--dev", "--port", "0", "--store", "memory", "--data", folder)
      let data = ["--data", folder]
      let create = ["records", "create", "Note", "n1", "--user", "alice"]
      let made = try await Tool.run(create + data)
      #expect(made.status == 0, "\(made.talk)")
      let lines = try await Tool.run(["logs", "--json"] + data)
      let line = try #require(
        lines.output.split(separator: "\n").first { $0.contains("records/modify") },
        "\(lines.output)")
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let request = try #require(object?["request"] as? String)
      let one = try await Tool.run(["logs", "--request", request.lowercased()] + data)
      #expect(one.output.contains("records/modify") && one.output.contains("operator owner"))
      #expect(one.talk.contains("request:") && one.talk.contains("audit:"), "\(one.talk)")
      let none = try await Tool.run(["logs", "--request", "nothing"] + data)
      #expect(none.status == 1 && none.talk.contains("push explain"))
      let wrong = try await Tool.run(["logs", "--follow", "--request", request] + data)
      #expect(wrong.status == 64, "\(wrong.talk)")
      let usage = try await Tool.run(["usage", "--span", "hour"] + data)
      #expect(usage.status == 0 && usage.output.contains("requests"), "\(usage.talk)")
      #expect(try await Tool.run(["usage", "--span", "year"] + data).status == 64)
      let storage = try await Tool.run(["usage", "storage"] + data)
      #expect(storage.output.contains("alice") && storage.output.contains("records"))
      _ = await Tool.end(server.process)
    }
  }

  @Test func `commands inside exec reach its server and no other`() async throws {
    let made = try await Tool.run(
      "exec", "--", "/bin/sh", "-c",
      "'\(Tool.path)' user create carol && '\(Tool.path)' user list")
    #expect(made.status == 0, "\(made.talk)")
    #expect(made.output.contains("carol") && made.output.contains("alice"))
  }
}
