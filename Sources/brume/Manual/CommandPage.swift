// The reference of commands for the documentation, from the parser's own description of them and `Examples`.
// `Tests/EndToEndTests/CommandReferenceTests.swift` compares it with docs/reference/commands.md.

import BrumeWire

struct CommandPage {
  private var parts: [String] = []
  private var serverOptions: [JSON] = []

  var text: String { parts.joined(separator: "\n\n") }

  /// - Parameter command: the root of the tree.
  init(_ command: JSON) {
    parts = [
      "# Commands",
      "Generated from the commands in `Sources/brume`. Edit those, then run "
        + "`BRUME_WRITE_REFERENCE=1 swift test --filter CommandReferenceTests`.",
      "Tasks and their commands are on [another page](../operating/commands.md). `brume help COMMAND` shows the same "
        + "as this one, `man brume` too (`brume manual`). Options may stand anywhere behind their command; all take "
        + "`--help` and `--version`. Data goes to standard output, talk to standard error.",
    ]
    for child in command["subcommands"]?.array ?? [] { section(child, under: "brume", level: "##") }
    parts.insert(statuses, at: 3)
    parts.insert(
      "Commands that ask a server find it by these, called *server options* below:\n\n"
        + table(serverOptions), at: 4)
  }

  private var statuses: String {
    let rows =
      [
        "| 0 | done |",
        "| 1 | a rule refused it, or the answer is no; standard error says what to do next |",
        "| 64 | the command was not understood |",
      ] + ExitStatus.allCases.map { "| \($0.rawValue) | \($0.meaning) |" }
    return (["| Ends with | When |", "|---|---|"] + rows).joined(separator: "\n")
  }

  private mutating func section(_ command: JSON, under parent: String, level: String) {
    guard let described = DescribedCommand(command, under: parent) else { return }
    if serverOptions.isEmpty { serverOptions = described.serverOptions }
    parts.append("\(level) \(described.title)")
    let server = described.serverOptions.isEmpty ? "" : " Takes the server options."
    parts.append((command["abstract"]?.string ?? "") + server)
    if let discussion = command["discussion"]?.string, !discussion.isEmpty {
      parts.append("```text\n\(discussion)\n```")
    }
    let examples = described.examples
    if !examples.isEmpty { parts.append("```sh\n\(examples.joined(separator: "\n"))\n```") }
    // Those of `serve` are a page of their own.
    if described.path == "brume serve" || described.path.hasPrefix("brume config") {
      if described.path != "brume config" { parts.append("All settings: [settings](settings.md).") }
    } else if !described.own.isEmpty {
      parts.append(table(described.own))
    }
    for child in command["subcommands"]?.array ?? [] {
      section(child, under: described.path, level: level + "#")
    }
  }

  private func table(_ options: [JSON]) -> String {
    let rows = options.map { option -> String in
      let text = OptionText.meaning(option).split(separator: "\n").joined(separator: " ")
      return "| `\(Self.form(option))` | \(Self.escaped(text)) |"
    }
    return (["| Option | Meaning |", "|---|---|"] + rows).joined(separator: "\n")
  }

  private static func escaped(_ text: String) -> String {
    text.map { $0 == "|" ? "\\|" : $0 == "<" ? "&lt;" : String($0) }.joined()
  }

  private static func form(_ option: JSON) -> String {
    let value = (option["valueName"]?.string ?? "").uppercased()
    let names = (option["names"]?.array ?? []).map(OptionText.spelled).joined(separator: ", ")
    switch option["kind"]?.string {
    case "positional": return OptionText.usage(option)
    case "flag": return names
    default: return "\(names) \(value)".replacingPipes
    }
  }
}

extension String {
  fileprivate var replacingPipes: String { map { $0 == "|" ? "\\|" : String($0) }.joined() }
}
