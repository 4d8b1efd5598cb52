// The description of the protocol as a page to read, made of the YAML: a list of endpoints, what each takes
// and answers, and the values. Embedded in the server; who compares and writes it is
// `DescriptionPageTests.swift`.

import BrumeConformance
import BrumeWire
import Foundation

struct DescriptionPage {
  static let path = "Sources/BrumeConsole/web/access/description.html"
  let document: JSON

  var text: String {
    let title = Self.escaped(document["info"]?["title"]?.string ?? "")
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title)</title>
      <link rel="stylesheet" href="/_brume/console/style/tokens.css">
      <link rel="stylesheet" href="/_brume/openapi.css">
      </head>
      <body>
      <main>
      <h1>\(title)</h1>
      <p>\(Self.escaped(document["info"]?["description"]?.string ?? ""))</p>
      <p>For machines: <a href="/_brume/openapi.yaml">openapi.yaml</a>.</p>
      <nav aria-label="Endpoints"><ul>
      \(operations.map { "<li><a href=\"#\($0.id)\">\($0.summary)</a></li>" }.joined(separator: "\n"))
      </ul></nav>
      \(operations.map(\.html).joined(separator: "\n"))
      <h1 id="values">Values</h1>
      \(values)
      </main>
      </body>
      </html>

      """
  }

  private struct Operation {
    let id: String
    let summary: String
    let html: String
  }

  private var operations: [Operation] {
    (document["paths"]?.object?.members ?? []).flatMap { path in
      (path.value.object?.members ?? []).filter { $0.key != "parameters" }.map { operation in
        Self.operation(operation.key.uppercased(), path.key, operation.value)
      }
    }
  }

  private static func operation(_ method: String, _ path: String, _ value: JSON) -> Operation {
    let id = escaped(value["operationId"]?.string ?? "")
    let summary = escaped(value["summary"]?.string ?? "")
    var lines = [
      "<h2 id=\"\(id)\"><code>\(method) \(escaped(path))</code></h2>", "<p>\(summary)</p>",
    ]
    if let body = value["requestBody"]?["content"] { lines.append("<h3>Takes</h3>\(list(body))") }
    for response in value["responses"]?.object?.members ?? [] where response.key.hasPrefix("2") {
      let said = escaped(response.value["description"]?.string ?? "")
      let content = response.value["content"].map { list($0) } ?? ""
      lines.append("<h3>Answers \(escaped(response.key))</h3><p>\(said)</p>\(content)")
    }
    return Operation(id: id, summary: summary, html: lines.joined(separator: "\n"))
  }

  /// A body's kinds, each with its value.
  private static func list(_ content: JSON) -> String {
    (content.object?.members ?? []).map { kind in
      "<p><code>\(escaped(kind.key))</code>: \(schema(kind.value["schema"] ?? .null))</p>"
    }.joined()
  }

  private static func schema(_ value: JSON) -> String {
    guard let name = value["$ref"]?.string?.split(separator: "/").last else {
      return "<code>\(escaped(String(decoding: value.bytes(), as: UTF8.self)))</code>"
    }
    return "<a href=\"#value-\(name)\">\(name)</a>"
  }

  private var values: String {
    (document["components"]?["schemas"]?.object?.members ?? []).map { schema in
      "<h2 id=\"value-\(schema.key)\">\(schema.key)</h2>\n<pre>"
        + Self.escaped(Self.lines(schema.value, "").joined(separator: "\n")) + "</pre>"
    }.joined(separator: "\n")
  }

  /// A value, one member a line.
  private static func lines(_ value: JSON, _ indent: String) -> [String] {
    guard case .object(let object) = value else {
      return [indent + String(decoding: value.bytes(), as: UTF8.self)]
    }
    return object.members.flatMap { member -> [String] in
      if case .object(let inner) = member.value, !inner.members.isEmpty {
        return ["\(indent)\(member.key):"] + lines(member.value, indent + "  ")
      }
      let text = String(decoding: member.value.bytes(), as: UTF8.self)
      return ["\(indent)\(member.key): \(text)"]
    }
  }

  private static func escaped(_ text: some StringProtocol) -> String {
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")]
      .reduce(String(text)) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}
