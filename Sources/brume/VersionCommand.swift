// brume version: which program this is.

import ArgumentParser
import BrumeModel
import BrumeWire

struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Say which version this is, and what it was built for.")
  @Flag(help: "As JSON.") var json = false

  func run() {
    guard json else { return Output.line("brume \(Release.version) (\(Release.platform))") }
    let answer: JSON = [
      "version": .string(Release.version), "platform": .string(Release.platform),
    ]
    Output.line(answer.bytes())
  }
}
