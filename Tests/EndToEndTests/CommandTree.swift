// All commands of the program with their options, as it describes itself.

import Foundation

struct CommandTree: Decodable {
  private struct Argument: Decodable {
    struct Name: Decodable { let name: String }
    let preferredName: Name?
  }
  private struct Command: Decodable {
    let commandName: String
    let arguments: [Argument]?
    let subcommands: [Command]?
  }
  /// A command that does something.
  struct Leaf {
    let name: String
    let options: Set<String>
  }
  private let command: Command

  /// - Parameter text: what `--experimental-dump-help` prints.
  init(_ text: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) }

  var leaves: [Leaf] { (command.subcommands ?? []).flatMap { Self.leaves($0, below: "") } }

  private static func leaves(_ command: Command, below path: String) -> [Leaf] {
    let name = path + command.commandName
    let children = (command.subcommands ?? []).filter { $0.commandName != "help" }
    guard children.isEmpty else { return children.flatMap { leaves($0, below: name + " ") } }
    return [
      Leaf(name: name, options: Set((command.arguments ?? []).compactMap(\.preferredName?.name)))
    ]
  }
}
