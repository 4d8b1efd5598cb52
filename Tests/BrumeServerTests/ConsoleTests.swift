// How the console's files are served. What they show is tested in a browser by
// Tests/Independent/console.py.

import BrumeTestKit
import Foundation
import HTTPTypes
import Testing

@testable import BrumeServer

struct ConsoleTests {
  @Test func `the console is served with a policy that allows nothing from elsewhere`() async throws
  {
    try await ServerFixture().routes { client in
      for path in ["/_brume/console/", "/_brume/console", "/_brume/console/parts/table.js"] {
        let answer = try await client.send(path)
        #expect(answer.status == 200)
        let policy = answer.headers[.contentSecurityPolicy] ?? ""
        #expect(policy.contains("default-src 'none'"))
        #expect(policy.contains("require-trusted-types-for 'script'"))
        // Another page that had this one in a frame could lead an operator's click.
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(answer.headers[.xContentTypeOptions] == "nosniff")
      }
      let page = try await client.send("/_brume/console/")
      #expect(page.text.contains("<!doctype html>"))
      let script = try await client.send("/_brume/console/app.js")
      #expect(script.headers[.contentType] == "text/javascript")
      for path in ["secret.txt", "parts/secret.js", "..%2fpage.html"] {
        #expect(try await client.send("/_brume/console/\(path)").status == 404)
      }
    }
  }

  @Test func `a browser that has a file is answered that it is the same`() async throws {
    try await ServerFixture().routes { client in
      let first = try await client.send("/_brume/console/app.js")
      let tag = try #require(first.headers[.eTag])
      let again = try await client.send(
        "/_brume/console/app.js", .get, nil, [.ifNoneMatch: tag])
      #expect(again.status == 304)
      #expect(again.text == "")
      let other = try await client.send("/_brume/console/style/tokens.css")
      #expect(other.headers[.eTag] != tag)
    }
  }

  @Test func `every file of the folder is in the binary as it is, and no other`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/BrumeConsole/web").standardizedFileURL
    // Other pages of the server have folders of their own beside the console's.
    let folders = ["core", "pages", "parts", "style"]
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { path in
      let parts = path.split(separator: "/")
      return path.contains(".") && (parts.count == 1 || folders.contains(String(parts[0])))
    }
    #expect(Set(files) == Set(ConsoleFile.all.keys))
    for file in files {
      let bytes = try Data(contentsOf: folder.appending(path: file))
      // Compared before, so that a failure names the file and does not print it.
      let isSame = ConsoleFile.all[file]?.bytes == Array(bytes)
      #expect(isSame, "\(file)")
    }
  }
}
