// An option that a command does not have, where something that it needs is missing as well, perhaps because that option
// was misspelt: the parser says only what is missing.

import ArgumentParser
import BrumeServer
import BrumeWire

enum UnknownOption {
  /// What is wrong; nil if it is something else.
  ///
  /// - Parameter message: the parser's.
  static func sentence(_ arguments: some Sequence<String>, _ message: String) -> String? {
    guard message.contains("Missing expected argument") else { return nil }
    let words = Array(arguments)
    let path = HelpText.command(words).path
    let options = words.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
      .map { option in String(option.prefix { $0 != "=" }) }
    guard let known = names(of: path),
      let unknown = options.first(where: { !known.contains($0) })
    else { return nil }
    let command = (["brume"] + path).joined(separator: " ")
    let near = NearName.of(unknown, among: known).map { "did you mean '\($0)'? " } ?? ""
    return
      "'\(command)' has no option '\(unknown)'; \(near)'\(command) --help' lists all. "
      + message
  }

  /// The options of a command, or of the one that is meant where none below it is named.
  private static func names(of path: [String]) -> [String]? {
    guard var command = (try? JSON(parsing: Array(CommandTree._dumpHelp().utf8)))?["command"]
    else { return nil }
    for name in path { command = child(name, of: command) ?? command }
    if let meant = command["defaultSubcommand"]?.string {
      command = child(meant, of: command) ?? command
    }
    let options = command["arguments"]?.array ?? []
    return options.flatMap { $0["names"]?.array ?? [] }.map(OptionText.spelled)
  }

  private static func child(_ name: String, of command: JSON) -> JSON? {
    command["subcommands"]?.array?.first { $0["commandName"]?.string == name }
  }
}
