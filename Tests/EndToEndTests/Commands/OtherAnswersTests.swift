// What commands say of answers that no Brume server gives: pages of proxies and of other programs, and what is empty.

import Foundation
import Testing

@Suite struct OtherAnswersTests {
  private static func answer(_ status: String, _ body: String) -> String {
    "HTTP/1.1 \(status)\r\nContent-Type: text/html\r\nContent-Length: \(body.utf8.count)\r\n"
      + "Connection: close\r\n\r\n\(body)"
  }

  @Test(
    arguments: [
      ("200 OK", 69), ("302 Found", 69), ("404 Not Found", 69), ("500 Internal Server Error", 69),
      ("401 Unauthorized", 77), ("403 Forbidden", 77), ("502 Bad Gateway", 75),
      ("503 Service Unavailable", 75),
    ] as [(String, Int32)])
  func `a page is called what it is, with a status that says what helps`(
    status: String, ends: Int32
  ) async throws {
    for body in ["<html>", "", "["] {
      let other = try BusyServer(answering: Self.answer(status, body))
      let outcome = try await Tool.run(
        "user", "list", "--url", "\(other.url)", "--admin-token", "t")
      outcome.expect(ends, "answers at \(other.url)", "(status \(status.prefix(3)))")
      #expect(outcome.output.isEmpty)
    }
  }

  @Test func `a refusal in JSON that is not ours is no refusal of ours`() async throws {
    let other = try BusyServer(answering: Self.answer("404 Not Found", #"{"error":"nobody"}"#))
    try await Tool.run("user", "list", "--url", "\(other.url)", "--admin-token", "t").expect(
      69, "is no Brume server of this version (status 404)")
  }

  @Test func `only a Brume server is ready`() async throws {
    for body in ["<html>", "", #"{"status":"up"}"#] {
      let other = try BusyServer(answering: Self.answer("200 OK", body))
      let outcome = try await Tool.run("status", "--ready", "--url", "\(other.url)")
      outcome.expect(1, "is no Brume server")
      #expect(outcome.output.isEmpty)
    }
    let page = try BusyServer(answering: Self.answer("502 Bad Gateway", "<html>"))
    try await Tool.run("status", "--ready", "--url", "\(page.url)").expect(1, "a proxy answers")
    let busy = try BusyServer(
      answering: Self.answer("503 Service Unavailable", #"{"status":"not ready"}"#))
    try await Tool.run("status", "--ready", "--url", "\(busy.url)").expect(
      1, "its storage does not answer")
  }
}
