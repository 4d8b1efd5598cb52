// A command that does not exist, or that stands behind its options: the parser takes the first word for an argument that
// is too many, or the option for one that it does not know, and says nothing of commands.

import ArgumentParser
import BrumeServer

enum UnknownCommand {
  /// What is wrong; nil if the words lead to a command.
  static func sentence(_ arguments: some Sequence<String>) -> String? {
    var command: any ParsableCommand.Type = BrumeTool.self
    var path = ["brume"]
    for word in arguments where path.count > 1 || word != "help" {
      let children = command.configuration.subcommands
      // Below one that does something itself a word may be an argument.
      guard !children.isEmpty, !(command is ImportCommand.Type) else { return nil }
      // Options of the command that is meant where none is named.
      let fallback = word.hasPrefix("-") ? command.configuration.defaultSubcommand : nil
      guard let next = children.first(where: { names(of: [$0]).contains(word) }) ?? fallback else {
        return sentence(word, path, names(of: children))
      }
      command = next
      path.append(next._commandName)
    }
    return nil
  }

  private static func sentence(_ word: String, _ path: [String], _ names: [String]) -> String {
    let place = path.joined(separator: " ")
    let list = "'\(place) --help' lists all"
    guard !word.hasPrefix("-") else {
      return
        "'\(word)' stands where a command is expected; options stand behind it, such as: brume user list "
        + "--data FOLDER. \(list)"
    }
    let near = NearName.of(word, among: names).map { "did you mean '\(place) \($0)'? " } ?? ""
    return "there is no command '\(place) \(word)'; \(near)\(list)"
  }

  private static func names(of commands: [any ParsableCommand.Type]) -> [String] {
    commands.filter { $0.configuration.shouldDisplay }.flatMap { command in
      [command._commandName] + command.configuration.aliases
    }
  }
}
