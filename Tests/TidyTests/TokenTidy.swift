// The console has one set of design tokens, style/tokens.css. No other style sheet of it says how large something is, how
// long it takes, or which colour it has.

import Foundation
import Testing

@Suite struct TokenTidy {
  private static let web = "Sources/BrumeConsole/web"
  private static let tokens = "\(web)/style/tokens.css"
  /// Where the layout changes: 1100 and 800 pixels. Conditions on the window cannot name tokens.
  private static let breakpoints: Set = ["68.75rem", "50rem"]

  /// Style sheets of the console, of its operators' page and of the page of the description.
  private static func sheets() throws -> [String] {
    try ["style", "access"].flatMap { folder in
      try FileManager.default.contentsOfDirectory(
        atPath: Tidy.root.appending(path: "\(web)/\(folder)").path
      ).filter { $0.hasSuffix(".css") }.map { "\(web)/\(folder)/\($0)" }
    }.filter { $0 != tokens }.sorted()
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Tidy.root.appending(path: path), encoding: .utf8)
  }

  @Test func `sizes, times and colours are tokens`() throws {
    let sheets = try Self.sheets()
    #expect(sheets.count > 13)
    for path in sheets {
      let found = Self.literals(in: try Self.text(path))
      #expect(found == [], "\(path): take a token of \(Self.tokens), or make one")
    }
  }

  @Test func `every token that is named is there, and every one that is there is named`() throws {
    let own = try Self.text(Self.tokens)
    let defined = Self.names(/--([a-z0-9-]+):/, in: own)
    var used = Self.names(/var\(--([a-z0-9-]+)/, in: own)
    for path in try Self.sheets() {
      let text = try Self.text(path)
      let local = Self.names(/--([a-z0-9-]+):/, in: text)
      #expect(local.isDisjoint(with: defined), "\(path): that is the name of a token")
      used.formUnion(Self.names(/var\(--([a-z0-9-]+)/, in: text).subtracting(local))
    }
    #expect(used.subtracting(defined) == [], "make them in \(Self.tokens)")
    #expect(defined.subtracting(used) == [], "nobody needs them: take them out of \(Self.tokens)")
  }

  private static func names(_ name: Regex<(Substring, Substring)>, in text: String) -> Set<String> {
    Set(text.matches(of: name).map { String($0.1) })
  }

  @Test(arguments: [
    ("a { padding: 5px; }", "5px"), ("a { margin: -.5rem 0; }", "-.5rem"),
    ("a { color: #fff; }", "#fff"), ("a { color: rgb(1 2 3); }", "rgb("),
    ("a { transition: color 120ms; }", "120ms"), ("a { animation: b 1s; }", "1s"),
    ("a { font-weight: 600; }", "font-weight: 600"), ("a { color: white; }", "color: white"),
    ("@media (max-width: 40rem) { }", "40rem"),
  ])
  func `what is set beside the tokens is found:`(sheet: String, found: String) {
    #expect(Self.literals(in: sheet) == [found])
  }

  @Test(arguments: [
    "a { padding: 0; margin: var(--s1); width: 100%; max-height: 86vh; flex: 1 1 0; }",
    "a { grid-template-columns: 1fr var(--b1); animation: b 0s var(--pause); }",
    "a { font: var(--medium) var(--body) var(--sans); white-space: nowrap; opacity: 0.6; }",
    "a { outline: var(--ring) solid Highlight; } /* 5px */", "@media (max-width: 50rem) { }",
  ])
  func `what goes by the tokens, the window or the browser is not:`(sheet: String) {
    #expect(Self.literals(in: sheet) == [])
  }

  private static func literals(in sheet: String) -> [String] {
    let code = sheet.replacing(/\/\*[^*]*\*+(?:[^\/*][^*]*\*+)*\//, with: "")
    let sizes = code.matches(of: /(?<size>[-]?[0-9]*\.?[0-9]+)(?:px|rem|em|ch|ex|pt|ms|s)\b/)
    let found = sizes.filter { Double($0.output.size) != 0 }.map { String($0.output.0) }
    let others = [
      code.matches(of: /#[0-9a-fA-F]{3,8}\b(?=[^{}]*[;}])/).map { String($0.output) },
      code.matches(of: /\b(?:rgba?|hsla?|oklch|light-dark)\(/).map { String($0.output) },
      code.matches(of: /font-weight: [0-9]+/).map { String($0.output) },
      code.matches(of: /color: (?:white|black|red|green|blue|gr[ae]y)\b/).map { String($0.output) },
    ]
    return (found + others.flatMap(\.self)).filter { !breakpoints.contains($0) }
  }
}
