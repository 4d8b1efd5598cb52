// How commands are shown which server they are for, and what they say when that cannot be.

import Foundation
import Testing

@Suite struct ServerAddressTests {
  private static let noAddresses = [
    "nonsense", "127.0.0.1:8787", "http://", "http:///path", "ftp://brume.example.org",
    "http://a b",
  ]

  @Test(arguments: noAddresses)
  func `what is no address is not understood, instead of not answering`(text: String) async throws {
    for command in [["user", "list"], ["status", "--ready"], ["backup", "never.backup"]] {
      let outcome = try await Tool.run(command + ["--url", text, "--admin-token", "t"])
      outcome.expect(64, "--url is '\(text)'", "http://127.0.0.1:8787")
    }
    let cases = ["conformance", "--url", text, "--container", "iCloud.a", "--api-token", "t"]
    try await Tool.run(cases).expect(64, "--url is '\(text)'", "http://127.0.0.1:8787")
  }

  @Test func `an address at which nobody answers is another matter`() async throws {
    let line = ["user", "list", "--url", "http://127.0.0.1:1/", "--admin-token", "t"]
    try await Tool.run(line).expect(69, "no server answers at http://127.0.0.1:1;")
    try await Tool.run(line).expect(69, "one that speaks TLS has an address of https")
    let secure = "\"$0\" user list --url https://127.0.0.1:1 --admin-token t"
    try await Tool.shell(secure).expect(69, "one without TLS has an address of http")
    try await Tool.shell("BRUME_TRUST=never.pem \(secure)").expect(
      69, "BRUME_TRUST names 'never.pem', which cannot be read")
    let socket = ["user", "list", "--url", "http+unix://%2Fnever%2Fa.sock", "--admin-token", "t"]
    try await Tool.run(socket).expect(69, "no server answers at http+unix://%2Fnever%2Fa.sock;")
  }

  @Test func `status without a server ends as other commands, and as a health check with 1`()
    async throws
  {
    try await Tool.withFolder { folder in
      let sentence = "no server is running on the data folder '\(folder)'; start one with"
      for line in ["status", "status --json", "status --format env", "user list"] {
        let words = line.split(separator: " ").map(String.init)
        try await Tool.run(words + ["--data", folder]).expect(69, sentence)
      }
      try await Tool.run("status", "--ready", "--data", folder).expect(1, sentence)
    }
  }

  @Test func `subscriptions are alice's on a development server, and somebody's elsewhere`()
    async throws
  {
    try await Shell.serving { brume in
      let outcome = try await brume("subscriptions", "list")
      outcome.expect(0)
      #expect(outcome.output.hasPrefix("subscription  type"))
    }
    try await Shell.serving("--store", "memory") { brume in
      try await brume("subscriptions", "list").expect(64, "--user NAME", "brume user list")
    }
  }
}
