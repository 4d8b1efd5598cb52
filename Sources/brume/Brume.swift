// The command line's root: which nouns there are. Each is in `<Noun>Command.swift`.

import ArgumentParser
import BrumeModel

@main
struct BrumeTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "brume", abstract: "CloudKit that you can run.",
    discussion: """
      Start with 'brume serve --dev', or run a program against a server of its own with
      'brume exec -- COMMAND'.
      """,
    version: "brume \(Release.version) (\(Release.platform))",
    subcommands: [
      ServeCommand.self, ExecCommand.self, StatusCommand.self, DoctorCommand.self,
      ConfigCommand.self, MigrateCommand.self, VersionCommand.self,
      CompletionsCommand.self, ManualCommand.self,
      BackupCommand.self, RestoreCommand.self,
      ExportCommand.self, ImportCommand.self, OperatorCommand.self, AuditCommand.self,
      LogsCommand.self, UsageCommand.self,
      UserCommand.self, TokenCommand.self, KeyCommand.self, SchemaCommand.self,
      ZonesCommand.self, RecordsCommand.self, SubscriptionsCommand.self, DevicesCommand.self,
      PushCommand.self, APNsCommand.self, WebhookCommand.self, FaultsCommand.self,
      BenchCommand.self, ConformanceCommand.self, DemoCommand.self, DemoDeviceCommand.self,
    ])
}
