// Bodies of operators' calls whose members have another type than they should: each is refused, because what is
// done without the member is often more.

import BrumeModel
import BrumeWire
import HTTPTypes
import Testing

@Suite struct AdminBodyTests {
  @Test(arguments: [
    ("users/delete", #"{"user":"alice","dryRun":"true"}"#, "'dryRun' must be true or false"),
    ("schema/deploy", #"{"dryRun":"true"}"#, "'dryRun' must be true or false"),
    ("schema/reset", #"{"dryRun":["true"]}"#, "'dryRun' must be true or false"),
    ("deletions/forget", #"{"dryRun":"true"}"#, "'dryRun' must be true or false"),
    ("schema", #"{"schema":"DEFINE SCHEMA","allowDrops":"no"}"#, "'allowDrops' must be true"),
    ("schema", #"{"schema":"DEFINE SCHEMA","drops":"Note"}"#, "'drops' must be an array"),
    ("schema/reset", #"{"drops":[1]}"#, "'drops' must be an array of texts"),
    ("schema/diff", #"{"schema":5}"#, "'schema' must be a text"),
    ("roles", #"{"user":"alice","role":"editor","on":"false"}"#, "'on' must be true or false"),
    ("users", #"{"name":"eve","discoverable":"false"}"#, "'discoverable' must be true or false"),
    ("users", #"{"name":"eve","password":["long enough"]}"#, "'password' must be a text"),
    ("users/change", #"{"user":"alice","discoverable":"false"}"#, "'discoverable' must be true"),
    ("users/change", #"{"user":"alice","password":5}"#, "'password' must be a text"),
    ("tokens", #"{"name":"w","origins":"https://app.example"}"#, "'origins' must be an array"),
    ("tokens", #"{"name":"w","origins":[1]}"#, "'origins' must be an array of texts"),
    ("tokens", #"{"name":"w","callback":["https://app.example"]}"#, "'callback' must be a text"),
    ("keys", #"{"name":"w","publicKey":5}"#, "'publicKey' must be a text"),
    ("operators", #"{"name":"o","password":"long enough","role":["read-only"]}"#, "'role' must be"),
    ("operators", #"{"name":"o","password":"long enough","openid":5}"#, "'openid' must be a text"),
    ("operators/change", #"{"name":"o","role":["read-only"]}"#, "'role' must be a text"),
    ("operators/invitations", #"{"name":"o","role":5}"#, "'role' must be a text"),
    ("operators/tokens", #"{"name":"ci","role":{"is":"read-only"}}"#, "'role' must be a text"),
    ("push/preview", #"{"user":"alice","text":5}"#, "'text' must be a text"),
    ("faults", #"{"faults":{"effect":"conflict"}}"#, "'faults' must be an array"),
    ("users/signout", #"{"user":5}"#, "'user' must be a text"),
  ])
  func `a member of another type is refused, and not taken for absent`(
    path: String, body: String, reason: String
  ) async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.admin(path, try JSON(parsing: Array(body.utf8)))
      #expect(answer.status == 400 && answer.reason.contains(reason), "\(answer.text)")
    }
  }

  @Test func `a dry run that is written as a text deletes nobody`() async throws {
    try await ServerFixture().routes { client in
      _ = try await client.admin("users/delete", ["user": "alice", "dryRun": "true"])
      #expect(try await client.call("zones/list").status == 200)
    }
  }

  @Test(arguments: [
    ("apns/remove", "topic"), ("operators/change", "name"), ("operators/remove", "name"),
    ("operators/invitations/revoke", "name"), ("operators/tokens/revoke", "name"),
    ("users/delete", "user"),
  ])
  func `a name that nobody has is answered with its beginning`(path: String, member: String)
    async throws
  {
    try await ServerFixture().routes { client in
      let name = String(repeating: "z", count: 100_000)
      let answer = try await client.admin(path, [member: .string(name)])
      #expect(answer.status == 404 && answer.reason.contains("'zzzzz"), "\(answer.status)")
      #expect(answer.text.utf8.count < 1000)
    }
  }

  @Test func `null is absent`() async throws {
    try await ServerFixture().routes { client in
      let body = #"{"name":"web","origins":null,"callback":null}"#
      let answer = try await client.admin("tokens", try JSON(parsing: Array(body.utf8)))
      #expect(answer.status == 200 && answer["origins"] == nil, "\(answer.text)")
    }
  }
}
