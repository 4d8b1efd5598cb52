// brume config: the settings that a server would have.

import ArgumentParser
import BrumeServer
import BrumeWire
import FoundationEssentials

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Settings of a server.", subcommands: [Show.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show each setting's value and where it comes from.",
      usage: "brume config show [--json] [OPTIONS OF SERVE]",
      discussion: "With the same options, variables and file that 'brume serve' would get. "
        + "A server that runs is not asked: one that got others, as from a unit of systemd, has others "
        + "(docs/operating/deploying.md). Secrets are not shown.")
    @Flag(help: "One JSON object a line.") var json = false
    // Declared by the server's list of settings, so that each setting exists once.
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp(visibility: .hidden))
    var options: [String] = []

    func run() async throws {
      let sources = try await SettingSources(
        flags: SettingFlags.parse(options), environment: ProcessInfo.processInfo.environment)
      // This refuses what makes no sense together, as the server does.
      _ = try Settings(sources)
      Listing(["setting", "value", "source"]).show(try rows(sources), asJSON: json)
    }

    private func rows(_ sources: SettingSources) throws -> [JSON] {
      try Setting.all.map { setting in
        let (value, source) = try sources.origin(of: setting)
        var row = JSONObject()
        row["setting"] = .string(setting.key)
        row["source"] = .string(source)
        row["value"] = value.map { .string($0) }
        return .object(row)
      }
    }
  }
}
