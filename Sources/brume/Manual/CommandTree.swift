// All commands with all their options, for completion scripts and the manual page. The options of `serve` are
// declared by the server's list of settings, and the parser does not know them: here they take its form. Nothing is
// ever parsed by this tree.

import ArgumentParser
import BrumeServer

struct CommandTree: ParsableCommand {
  static let configuration: CommandConfiguration = {
    var all = BrumeTool.configuration
    all.subcommands = all.subcommands.map { command in
      switch command {
      case is ServeCommand.Type: ServeTree.self
      case is ConfigCommand.Type: ConfigTree.self
      default: command
      }
    }
    return all
  }()
}

private struct ServeTree: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: ServeCommand.configuration.abstract,
    discussion: "Options are also variables, and keys of the configuration file.")
  @OptionGroup var settings: SettingOptions
}

private struct ConfigTree: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: ConfigCommand.configuration.abstract,
    subcommands: [Show.self])

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: ConfigCommand.Show.configuration.abstract,
      discussion: ConfigCommand.Show.configuration.discussion)
    @Flag(help: "One JSON object a line.") var json = false
    @OptionGroup var settings: SettingOptions
  }
}

/// One option for each setting. The parser finds options by reflection.
private struct SettingOptions: ParsableArguments, CustomReflectable {
  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init() {}

  /// The parser asks debug builds whether each option could be decoded.
  init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: AnyKey.self) }

  var customMirror: Mirror {
    Mirror(
      self, children: Setting.all.map { (label: "_\($0.variable)", value: Self.option($0)) })
  }

  private static func option(_ setting: Setting) -> Any {
    let name = NameSpecification.customLong(String(setting.flag.dropFirst(2)))
    let fallback = setting.fallback.flatMap { $0.isEmpty || $0 == "false" ? nil : $0 }
    let text =
      setting.help + (fallback.map { " (default: \($0))" } ?? "") + " [\(setting.variable)]"
    guard setting.kind != .switch else {
      return Flag<Bool>(wrappedValue: false, name: name, help: ArgumentHelp(text))
    }
    return Option<String?>(
      name: name, help: ArgumentHelp(text, valueName: setting.form.lowercased()),
      completion: completion(setting.form))
  }

  private static func completion(_ form: String) -> CompletionKind? {
    let words = form.split(separator: "|").map(String.init)
    return switch form {
    case "FILE": .file()
    case "FOLDER": .directory
    default:
      words.count > 1 ? .list(words.filter { $0.allSatisfy { $0.isLowercase } }) : nil
    }
  }
}
