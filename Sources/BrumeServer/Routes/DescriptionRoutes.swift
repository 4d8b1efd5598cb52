// The description of the protocol, for machines and as a page, and where to go from the address alone.

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

  /// Where to go: as a page for who accepts one, else as lines.
  static func root(_ call: Call) async throws -> Reply {
    let wantsPage = call.headers[.accept]?.contains("text/html") ?? false
    let text = wantsPage ? html : lines
    var answer = reply(
      Array(text.utf8), wantsPage ? "text/html; charset=utf-8" : "text/plain; charset=utf-8",
      to: call)
    answer.headers[.vary] = "Accept"
    return answer
  }

  private static let lines =
    "This is Brume, a server that speaks CloudKit's protocol.\n"
    + places.map { "\($0.0)  \($0.1)\n" }.joined()

  private static let html = """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><title>Brume</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="/_brume/console/style/tokens.css">
    <link rel="stylesheet" href="/_brume/openapi.css"></head>
    <body><main><h1>Brume</h1><p>A server that speaks CloudKit's protocol.</p><ul>
    \(places.map { "<li><a href=\"\($0.0)\">\($0.0)</a>: \($0.1)</li>" }.joined(separator: "\n"))
    </ul></main></body></html>

    """

  /// `HEAD` gets the same headers, with the length of what it does not get.
  private static func reply(_ bytes: [UInt8], _ type: String, to call: Call) -> Reply {
    let isHead = call.method == .head
    var reply = Reply.page(isHead ? [] : bytes, type, policy: policy, caching: "no-cache")
    if isHead { reply.headers[.contentLength] = String(bytes.count) }
    return reply
  }
}
