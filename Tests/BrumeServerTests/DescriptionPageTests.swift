// The address alone, the description that the server serves, and the page that is made of it.
// `BRUME_WRITE_REFERENCE=1 swift test --filter DescriptionPageTests` writes the page anew.

import BrumeConformance
import BrumeServer
import Foundation
import HTTPTypes
import Testing

@Suite struct DescriptionPageTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test func `the page says what the description says`() throws {
    let file = Self.root.appending(path: DescriptionPage.path)
    let text = DescriptionPage(
      document: try Description(file: ConformanceTests.description).document
    ).text
    if ProcessInfo.processInfo.environment["BRUME_WRITE_REFERENCE"] == "1" {
      try Data(text.utf8).write(to: file)
    }
    let written = try String(contentsOf: file, encoding: .utf8)
    #expect(
      written == text,
      "\(DescriptionPage.path) is old; run BRUME_WRITE_REFERENCE=1 swift test --filter DescriptionPageTests"
    )
    #expect(!text.contains("http://") && !text.contains("https://"))
  }

  @Test func `the server serves the description as it is in the repository, and a page of it`()
    async throws
  {
    try await ServerFixture().routes { client in
      let yaml = try await client.send("/_brume/openapi.yaml")
      let file = try String(contentsOfFile: ConformanceTests.description, encoding: .utf8)
      #expect(yaml.text == file, "the embedded file is old; build anew")
      #expect(yaml.headers[.contentType] == "application/yaml")
      let page = try await client.send("/_brume/openapi")
      #expect(page.headers[.contentType] == "text/html; charset=utf-8")
      #expect(page.text.contains("records/query") && page.text.contains("id=\"value-Error\""))
      #expect(page.headers[.contentSecurityPolicy]?.contains("default-src 'none'") == true)
      #expect(try await client.send("/_brume/openapi.css").status == 200)
    }
  }

  @Test func `the address alone says where to go, as a page or as lines`() async throws {
    try await ServerFixture().routes { client in
      let lines = try await client.send("/")
      #expect(lines.status == 200)
      #expect(lines.headers[.contentType] == "text/plain; charset=utf-8")
      #expect(lines.text.contains("/_brume/console/") && !lines.text.contains("<"))
      let page = try await client.send("/", .get, nil, [.accept: "text/html,*/*;q=0.8"])
      #expect(page.headers[.contentType] == "text/html; charset=utf-8")
      #expect(page.text.contains("<a href=\"/_brume/openapi\">"))
    }
  }

  @Test func `a share's URL says in a browser where to open it, whatever its name`() async throws {
    try await ServerFixture().routes { client in
      let page = try await client.send("/share/0abc", .get, nil, [.accept: "text/html"])
      #expect(page.headers[.contentType] == "text/html; charset=utf-8")
      #expect(page.text.contains("Open it in that app"))
      let other = try await client.send("/share/<script>", .get, nil, [.accept: "text/html"])
      #expect(other.status == 200 && other.text == page.text)
      let lines = try await client.send("/share/0abc")
      #expect(lines.text.contains("Open it in that app") && !lines.text.contains("<"))
    }
  }

  @Test(arguments: [
    "/", "/share/0abc", "/_brume/openapi", "/_brume/openapi.yaml", "/_brume/openapi.css",
  ])
  func `HEAD gets the length of what GET gets, and OPTIONS says what there is`(path: String)
    async throws
  {
    try await ServerFixture().routes { client in
      let whole = try await client.send(path)
      let head = try await client.send(path, .head)
      #expect(head.status == 200 && head.bytes.isEmpty)
      #expect(head.headers[.contentLength] == String(whole.bytes.count))
      let options = try await client.send(path, .options)
      #expect(options.headers[.allow] == "GET, HEAD, OPTIONS")
      #expect(try await client.send(path, .post, []).status == 405)
    }
  }
}
