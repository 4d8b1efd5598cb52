// What the manual page and the reference of commands say of a command, and how an option or an argument is spelled.

import BrumeWire

/// Texts of what ArgumentParser's description of a command says about one option.
enum OptionText {
  /// The name that help prefers, such as `--data`; empty for an argument.
  static func name(_ option: JSON) -> String { option["preferredName"].map(spelled) ?? "" }

  /// One of an option's names, with its dashes.
  static func spelled(_ name: JSON) -> String {
    (name["kind"]?.string == "long" ? "--" : "-") + (name["name"]?.string ?? "")
  }

  /// An argument as a line of usage has it: in brackets if it may be missing.
  static func usage(_ argument: JSON) -> String {
    let name = (argument["valueName"]?.string ?? "").uppercased()
    let all = argument["isRepeating"]?.bool == true ? name + " ..." : name
    return argument["isOptional"]?.bool == true ? "[\(all)]" : all
  }

  /// What it is for, with its default.
  static func meaning(_ option: JSON) -> String {
    let fallback = option["defaultValue"]?.string.map { " (default: \($0))" } ?? ""
    return (option["abstract"]?.string ?? "") + fallback
  }
}

/// A command as that description has it.
struct DescribedCommand {
  /// Options that stand in a section of their own, because nearly every command has them.
  private static let server = ["--data", "--url", "--admin-token", "--container", "--environment"]
  private static let everywhere = ["--version", "--help", "-h"]
  /// Its name behind those of the commands that it is under.
  let path: String
  /// The same with its arguments.
  let title: String
  /// Empty: it asks no server.
  let serverOptions: [JSON]
  /// All other options and arguments.
  let own: [JSON]

  /// Nil for what is not shown.
  init?(_ command: JSON, under parent: String) {
    let name = command["commandName"]?.string ?? ""
    guard command["shouldDisplay"]?.bool != false, name != "help" else { return nil }
    let shown = (command["arguments"]?.array ?? []).filter {
      $0["shouldDisplay"]?.bool != false && !Self.everywhere.contains(OptionText.name($0))
    }
    let server = shown.filter { Self.server.contains(OptionText.name($0)) }
    let asksServer = server.count == Self.server.count
    serverOptions = asksServer ? server : []
    own = shown.filter { !asksServer || !Self.server.contains(OptionText.name($0)) }
    path = "\(parent) \(name)"
    let words = own.filter { $0["kind"]?.string == "positional" }.map(OptionText.usage)
    title = ([path] + words).joined(separator: " ")
  }

  var examples: [String] {
    Examples.of(path.split(separator: " ").dropFirst().map(String.init))
  }
}
