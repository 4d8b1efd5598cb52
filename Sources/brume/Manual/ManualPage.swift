// The manual page in roff's man macros, from the parser's own description of the commands. Only ASCII leaves here.

import BrumeWire

struct ManualPage {
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
    guard let described = DescribedCommand(command, under: parent) else { return }
    if serverOptions.isEmpty { serverOptions = described.serverOptions }
    lines += [".SS \"\(Roff.text(described.title).replacingQuotes)\""]
    lines += [Roff.line(command["abstract"]?.string ?? "")]
    if !described.serverOptions.isEmpty { lines += ["Takes the server options."] }
    paragraph(command["discussion"]?.string)
    let examples = described.examples
    if !examples.isEmpty { paragraph("\n" + examples.joined(separator: "\n") + "\n") }
    for argument in described.own { option(argument) }
    for child in command["subcommands"]?.array ?? [] { section(child, under: described.path) }
  }

  private mutating func option(_ option: JSON) {
    lines += [".TP"]
    let value = Roff.text(option["valueName"]?.string ?? "")
    switch option["kind"]?.string {
    case "positional": lines += ["\\fI\(value)\\fR"]
    case "flag": lines += [Self.names(option)]
    default: lines += ["\(Self.names(option)) \\fI\(value)\\fR"]
    }
    let text = OptionText.meaning(option)
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
