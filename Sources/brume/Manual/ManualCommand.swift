// brume manual: the manual page, made from the commands themselves.

import ArgumentParser
import BrumeModel
import BrumeWire

struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual",
    abstract: "Print the manual page, for man.",
    discussion: """
      brume manual > /usr/local/share/man/man1/brume.1
      brume manual | man -l -
      """)

  @Flag(help: "The reference of the documentation instead (docs/reference/commands.md).")
  var markdown = false

  func run() throws {
    let tree = try JSON(parsing: Array(CommandTree._dumpHelp().utf8))
    guard let command = tree["command"] else {
      throw CommandFailure("the list of commands cannot be read; report this")
    }
    Output.line(
      markdown
        ? CommandPage(command).text : ManualPage(command, version: "\(Release.version)").text)
  }
}
