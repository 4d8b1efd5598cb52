// The help of a command, with its examples below. The parser makes the rest.

import ArgumentParser

enum HelpText {
  /// Shows the help that was asked for, and ends the process; returns if the error is no such question, or the
  /// command has no examples.
  static func show(_ error: any Error) {
    guard BrumeTool.exitCode(for: error) == .success,
      case let text = BrumeTool.fullMessage(for: error), text.contains("USAGE: "),
      case let examples = Examples.of(path(CommandLine.arguments.dropFirst())), !examples.isEmpty
    else { return }
    Output.line(text)
    Output.line((["EXAMPLES:"] + examples.map { "  " + $0 }).joined(separator: "\n"))
    BrumeTool.exit()
  }

  /// The names of the command that arguments lead to.
  static func path(_ arguments: some Sequence<String>) -> [String] { command(arguments).path }

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
