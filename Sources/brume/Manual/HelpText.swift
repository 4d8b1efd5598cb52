// The help of a command, with its examples below. The parser makes the rest.

import ArgumentParser

enum HelpText {
  /// Shows the help that was asked for, and ends the process; returns if the error is no such question, or the
  /// command has no examples.
  static func show(_ error: any Error) {
    guard BrumeTool.exitCode(for: error) == .success,
      case let text = BrumeTool.fullMessage(for: error), text.contains("USAGE: ")
    else { return }
    let arguments = CommandLine.arguments.dropFirst()
    let examples = Examples.of(command(arguments).path)
    var parts = [text]
    if text.contains("SUBCOMMANDS:"), let meant = meant(arguments) { parts.append(meant) }
    if !examples.isEmpty {
      parts.append((["EXAMPLES:"] + examples.map { "  " + $0 }).joined(separator: "\n"))
    }
    guard parts.count > 1 else { return }
    for part in parts { Output.line(part) }
    BrumeTool.exit()
  }

  /// The help of the command that is meant where arguments name none below theirs.
  private static func meant(_ arguments: some Sequence<String>) -> String? {
    let (command, path) = Self.command(arguments)
    guard let meant = command.configuration.defaultSubcommand,
      UnknownCommand.sentence(arguments.prefix { !$0.hasPrefix("-") }) == nil
    else { return nil }
    let name = (["brume"] + path).joined(separator: " ")
    return "'\(name)' alone is '\(name) \(meant._commandName)':\n\n"
      + BrumeTool.helpMessage(for: meant)
  }

  /// The command that arguments lead to, and its names.
  static func command(
    _ arguments: some Sequence<String>
  ) -> (type: any ParsableCommand.Type, path: [String]) {
    var command: any ParsableCommand.Type = BrumeTool.self
    var path: [String] = []
    for (index, argument) in arguments.enumerated() where index > 0 || argument != "help" {
      let next = command.configuration.subcommands.first {
        $0._commandName == argument || $0.configuration.aliases.contains(argument)
      }
      guard let next else { break }
      command = next
      path.append(next._commandName)
    }
    return (command, path)
  }
}
