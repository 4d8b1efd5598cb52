// The description of the protocol, for machines and as a page, and what a browser is shown at the address alone and at a
// share's.

import BrumeConsole
import BrumeModel
import HTTPTypes

enum DescriptionRoutes {
  private static let policy =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; "
    + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
  private static let places = [
    ("/_brume/console/", "the console"),
    ("/_brume/openapi", "the API, to read"),
    ("/_brume/openapi.yaml", "the API, for machines"),
    ("/_brume/health/ready", "whether the server is ready"),
  ]

  static func yaml(_ call: Call) async throws -> Reply {
    reply(EmbeddedFile.bytes(brume_description), "application/yaml", to: call)
  }

  static func page(_ call: Call) async throws -> Reply {
    reply(EmbeddedFile.bytes(brume_description_page), "text/html; charset=utf-8", to: call)
  }

  static func style(_ call: Call) async throws -> Reply {
    reply(EmbeddedFile.bytes(brume_description_style), "text/css", to: call)
  }

  /// Where to go.
  static func root(_ call: Call) async throws -> Reply { text(lines, html, to: call) }

  /// What to do with a share's URL. It says the same of all names: nobody learns by it which shares there are.
  static func share(_ call: Call) async throws -> Reply {
    text(shareText + "\n", sharePage, to: call)
  }

  private static let shareText =
    "This address shares something of an app. Open it in that app, which accepts the share. "
    + "There is nothing of it to see in a browser."
  private static let sharePage = document("Shared with you", "<p>\(shareText)</p>")

  /// As a page for who accepts one, else as lines.
  private static func text(_ lines: String, _ html: String, to call: Call) -> Reply {
    let wantsPage = call.headers[.accept]?.contains("text/html") ?? false
    var answer = reply(
      Array((wantsPage ? html : lines).utf8),
      wantsPage ? "text/html; charset=utf-8" : "text/plain; charset=utf-8", to: call)
    answer.headers[.vary] = "Accept"
    return answer
  }

  private static let lines =
    "This is Brume, a server that speaks CloudKit's protocol.\n"
    + places.map { "\($0.0)  \($0.1)\n" }.joined()

  private static let html = document(
    "Brume",
    """
    <p>A server that speaks CloudKit's protocol.</p><ul>
    \(places.map { "<li><a href=\"\($0.0)\">\($0.0)</a>: \($0.1)</li>" }.joined(separator: "\n"))
    </ul>
    """)

  private static func document(_ title: String, _ body: String) -> String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <link rel="stylesheet" href="/_brume/console/style/tokens.css">
    <link rel="stylesheet" href="/_brume/openapi.css"></head>
    <body><main><h1>\(title)</h1>\(body)</main></body></html>

    """
  }

  /// `HEAD` gets the same headers, with the length of what it does not get.
  private static func reply(_ bytes: [UInt8], _ type: String, to call: Call) -> Reply {
    let isHead = call.method == .head
    var reply = Reply.page(isHead ? [] : bytes, type, policy: policy, caching: "no-cache")
    if isHead { reply.headers[.contentLength] = String(bytes.count) }
    return reply
  }
}
