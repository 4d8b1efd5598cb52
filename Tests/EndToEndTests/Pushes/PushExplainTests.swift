// `brume push explain` as its user sees it. Which answers there are is tested where they are made.

import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(10)))
struct PushExplainTests {
  @Test func `the command says in one sentence why a push did not come, then the questions`()
    async throws
  {
    try await Tool.withFolder { folder in
      let server = try await Tool.serve(
        "--dev", "--port", "0", "--store", "memory", "--data", folder)
      let values = Dictionary(
        server.lines.compactMap { line -> (String, String)? in
          let parts = line.split(separator: "=", maxSplits: 1)
          return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
        }, uniquingKeysWith: { $1 })
      try await Self.save("old", values)
      try await Self.post(
        "subscriptions/modify",
        """
        {"operations": [{"operationType": "create", "subscription": {
          "subscriptionID": "s", "subscriptionType": "query", "query": {"recordType": "Note"},
          "firesOn": ["update"], "notificationInfo": {"alertBody": "changed"}}}]}
        """, values)
      try await Self.save("n", values)
      try await Self.save("r", type: "Report", values)
      let asked = ["push", "explain", "--record", "n", "--data", folder]
      let text = try await Tool.run(asked + ["--user", "alice", "--device", "phone"])
      let json = try await Tool.run(asked + ["--json"])
      let other = try await Tool.run("push", "explain", "--record", "r", "--data", folder)
      _ = await Tool.end(server.process)
      #expect(text.status == 0, "\(text.talk)")
      #expect(
        text.output.hasPrefix("alice's device 'phone' was not notified of record 'n' in zone"),
        "\(text.output)")
      #expect(text.output.contains("s subscription 's' (private): event, judged again now"))
      #expect(text.output.contains("x event: It fires on update only."))
      #expect(text.output.contains(". condition: An earlier question ended it."))
      let answer = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
      #expect(answer?["sentence"] is String && json.status == 0, "\(json.talk)")
      #expect(other.output.contains("that watch something else: 1."), "\(other.output)")
    }
  }

  @Test(arguments: ["9-9", "0-9999", "x", "1", "0-", "0-x"])
  func `a change that is not there is one sentence, which says what lists them`(
    change: String
  ) async throws {
    try await Shell.serving { brume in
      // Changes before one that is not there are a list like any other.
      let commands = ["push explain --change", "log then", "log list --before"]
      for command in commands where !(command.contains("--before") && change.contains("9")) {
        let words = command.split(separator: " ").map(String.init)
        let outcome = try await Tool.run(words + [change, "--data", brume.folder])
        outcome.expect(1, change, "brume log list")
        #expect(outcome.output.isEmpty)
        #expect(outcome.talk.split(separator: "\n").count == 1, "\(outcome.talk)")
        #expect(outcome.talk.contains("such as 0-12") || outcome.talk.contains("not remembered"))
      }
    }
  }

  @Test func `what no change is remembered of ends with 1 and says so, however it was named`()
    async throws
  {
    try await Shell.serving { brume in
      for (named, sentence) in [
        ("push explain --request nope", "No change of request nope is remembered"),
        ("push explain --record never", "No change of record 'never' in zone '_defaultZone'"),
        ("push explain --record never --json", "No change of record 'never' in zone"),
        ("logs --request nope", "nothing is known of request NOPE"),
      ] {
        let outcome = try await brume(named.split(separator: " ").map(String.init))
        outcome.expect(1, sentence)
        #expect(outcome.output.isEmpty, "\(outcome.output)")
      }
    }
  }

  @Test func `a zone without a record is not understood`() async throws {
    let outcome = try await Tool.run("push", "explain", "--zone", "Z")
    #expect(outcome.status == 64 && outcome.talk.contains("--record NAME"))
  }

  private static func save(
    _ name: String, type: String = "Note", _ values: [String: String]
  ) async throws {
    try await post(
      "records/modify",
      """
      {"operations": [{"operationType": "create", "record": {
        "recordName": "\(name)", "recordType": "\(type)", "fields": {"title": {"value": "t"}}}}]}
      """, values)
  }

  private static func post(
    _ endpoint: String, _ body: String, _ values: [String: String]
  ) async throws {
    func value(_ name: String) throws -> String {
      let text = try #require(values["BRUME_\(name)"])
      return text.trimmingCharacters(in: CharacterSet(charactersIn: "'\""))
    }
    let token =
      try value("USER_TOKEN_ALICE").addingPercentEncoding(withAllowedCharacters: .alphanumerics)
      ?? ""
    let path = "\(try value("URL"))/database/1/\(try value("CONTAINER"))/development/private"
    let query = "ckAPIToken=\(try value("API_TOKEN"))&ckWebAuthToken=\(token)&clientId=laptop"
    var request = URLRequest(
      url: try #require(URL(string: "\(path)/\(endpoint)?\(query)")))
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    let (data, response) = try await URLSession.shared.data(for: request)
    let text = String(decoding: data, as: UTF8.self)
    #expect((response as? HTTPURLResponse)?.statusCode == 200, "\(text)")
    #expect(!text.contains("serverErrorCode"), "\(text)")
  }
}
