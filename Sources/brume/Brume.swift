// The command line's root: which nouns there are. Each is in `<Noun>Command.swift`.

import ArgumentParser
import BrumeModel

@main
struct BrumeTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "brume", abstract: "CloudKit that you can run.",
    discussion: """
      Start with 'brume serve --dev', or run a program against a server of its own with
      'brume exec -- COMMAND'. 'brume help COMMAND' has all options, and examples.
      """,
    version: "brume \(Release.version) (\(Release.platform))",
    subcommands: [
      ServeCommand.self, ExecCommand.self, StatusCommand.self, DoctorCommand.self,
      ClockCommand.self,
      ConfigCommand.self, MigrateCommand.self, VersionCommand.self,
      CompletionsCommand.self, ManualCommand.self,
      BackupCommand.self, RestoreCommand.self,
      ExportCommand.self, ImportCommand.self, OperatorCommand.self, AuditCommand.self,
      LogsCommand.self, UsageCommand.self,
      UserCommand.self, TokenCommand.self, KeyCommand.self, SchemaCommand.self,
      ZonesCommand.self, RecordsCommand.self, SubscriptionsCommand.self, DevicesCommand.self,
      DeletionsCommand.self, LogCommand.self,
      PushCommand.self, APNsCommand.self, WebhookCommand.self, FaultsCommand.self,
      BenchCommand.self, ConformanceCommand.self, DemoCommand.self, DemoDeviceCommand.self,
    ])

  static func main() async {
    FileSizeLimit.endNothing()
    var command: any ParsableCommand
    do { command = try parseAsRoot() } catch {
      HelpText.show(error)
      Ending.end(parsing: error)
    }
    do {
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      HelpText.show(error)
      Ending.end(error)
    }
  }
}
