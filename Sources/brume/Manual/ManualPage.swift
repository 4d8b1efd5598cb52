// The manual page in roff's man macros, from the parser's own description of the commands. Only ASCII leaves here.

import BrumeWire

struct ManualPage {
  /// Options that stand in their own section, because nearly every command has them.
  private static let server = ["--data", "--url", "--admin-token", "--container", "--environment"]
  private static let everywhere = ["--version", "--help", "-h"]
  private var lines: [String] = []
  private var serverOptions: [JSON] = []

  var text: String { lines.joined(separator: "\n") }

  /// - Parameter command: the root of the tree.
  init(_ command: JSON, version: String) {
    let abstract = command["abstract"]?.string ?? ""
    lines = [
      ".TH BRUME 1 \"\" \"brume \(Roff.text(version))\" \"Brume\"", ".SH NAME",
      "brume \\- \(Roff.text(abstract))", ".SH SYNOPSIS", ".B brume", ".I COMMAND",
      "[\\fIOPTIONS\\fR]", ".SH DESCRIPTION",
    ]
    paragraph(command["discussion"]?.string)
    lines += [".SH COMMANDS"]
    for child in command["subcommands"]?.array ?? [] { section(child, under: "brume") }
    lines += [
      ".SH SERVER OPTIONS", "Commands that ask a server find it by these:",
    ]
    for option in serverOptions { self.option(option) }
    lines += [
      ".SH COMMON OPTIONS", ".TP", "\\fB\\-h\\fR, \\fB\\-\\-help\\fR",
      "Show what a command does and which options it has.", ".TP", "\\fB\\-\\-version\\fR",
      "Show the version.",
      ".SH EXIT STATUS", ".TP", "0", "Done.", ".TP", "1",
      "A rule refused it, or the answer is no; standard error says what to do next.",
      ".TP", "64", "The command was not understood.",
    ]
    for status in ExitStatus.allCases {
      lines += [".TP", "\(status.rawValue)", Roff.line(status.meaning.sentence)]
    }
  }

  private mutating func section(_ command: JSON, under parent: String) {
    let name = command["commandName"]?.string ?? ""
    guard command["shouldDisplay"]?.bool != false, name != "help" else { return }
    let children = command["subcommands"]?.array ?? []
    let shown = (command["arguments"]?.array ?? []).filter {
      $0["shouldDisplay"]?.bool != false && Self.everywhere.contains(OptionText.name($0)) == false
    }
    let asksServer = Self.server.allSatisfy { name in shown.contains { OptionText.name($0) == name }
    }
    if asksServer, serverOptions.isEmpty {
      serverOptions = shown.filter { Self.server.contains(OptionText.name($0)) }
    }
    let own = shown.filter { !asksServer || !Self.server.contains(OptionText.name($0)) }
    let words = own.filter { $0["kind"]?.string == "positional" }.map(OptionText.usage)
    let title = (["\(parent) \(name)"] + words).joined(separator: " ")
    lines += [".SS \"\(Roff.text(title).replacingQuotes)\""]
    lines += [Roff.line(command["abstract"]?.string ?? "")]
    if asksServer { lines += ["Takes the server options."] }
    paragraph(command["discussion"]?.string)
    let path = "\(parent) \(name)".split(separator: " ").dropFirst().map(String.init)
    let examples = Examples.of(path)
    if !examples.isEmpty { paragraph("\n" + examples.joined(separator: "\n") + "\n") }
    for argument in own { option(argument) }
    for child in children { section(child, under: "\(parent) \(name)") }
  }

  private mutating func option(_ option: JSON) {
    lines += [".TP"]
    let value = Roff.text(option["valueName"]?.string ?? "")
    switch option["kind"]?.string {
    case "positional": lines += ["\\fI\(value)\\fR"]
    case "flag": lines += [Self.names(option)]
    default: lines += ["\(Self.names(option)) \\fI\(value)\\fR"]
    }
    let fallback = option["defaultValue"]?.string.map { " (default: \($0))" } ?? ""
    let text = (option["abstract"]?.string ?? "") + fallback
    lines += [text.isEmpty ? "\\&" : Roff.line(text)]
  }

  private mutating func paragraph(_ text: String?) {
    guard let text, !text.isEmpty else { return }
    // As it is laid out: tables and examples stand in it.
    lines += [".PP", ".nf"]
    lines += text.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.isEmpty ? ".sp" : Roff.line(String($0))
    }
    lines += [".fi"]
  }

  private static func names(_ option: JSON) -> String {
    (option["names"]?.array ?? []).map { "\\fB\(Roff.text(OptionText.spelled($0)))\\fR" }
      .joined(separator: ", ")
  }
}

/// How texts are written in roff.
private enum Roff {
  static func text(_ text: String) -> String {
    text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\\": "\\e"
      case "-": "\\-"
      case "'": "\\(aq"
      case "`": "\\(ga"
      case "^": "\\(ha"
      case "~": "\\(ti"
      case "\n": " "
      default:
        scalar.isASCII
          ? String(Character(scalar))
          : "\\[u\(padded(String(scalar.value, radix: 16, uppercase: true)))]"
      }
    }.joined()
  }

  /// A text at the beginning of a line, where a point would be a macro.
  static func line(_ text: String) -> String {
    let plain = self.text(text)
    return plain.hasPrefix(".") ? "\\&" + plain : plain
  }

  private static func padded(_ digits: String) -> String {
    String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}

extension String {
  fileprivate var replacingQuotes: String {
    map { $0 == "\"" ? "\\(dq" : String($0) }.joined()
  }
}

extension String {
  /// With a large letter and a full stop.
  var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
