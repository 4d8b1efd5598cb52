// Where a setting's value comes from: flag, then environment, then file, then default. Flags and
// variables are text, so both go through the same provider and the same conversions.

import Configuration

/// The values of all settings, by their sources.
package struct SettingSources: Sendable {
  /// Where programs of this user keep what is not data; nil: there is no such place.
  package let stateFolder: String?
  private let providers: [(name: @Sendable (Setting) -> String, provider: any ConfigProvider)]

  /// Reads the configuration file, if flags or environment name one.
  ///
  /// - Throws: `SettingError` for a file that cannot be read, and for a name that is no setting.
  package init(flags: [String: String], environment: [String: String]) async throws {
    stateFolder = Self.stateFolder(environment)
    let fromFlags = EnvironmentVariablesProvider(environmentVariables: flags)
    let fromEnvironment = EnvironmentVariablesProvider(
      environmentVariables: environment.filter { !$0.value.isEmpty })
    var providers: [(name: @Sendable (Setting) -> String, provider: any ConfigProvider)] = [
      ({ $0.flag }, fromFlags.prefixKeys(with: "brume")),
      ({ $0.variable }, fromEnvironment.prefixKeys(with: "brume")),
    ]
    try UnknownSettings.check(variables: environment.keys)
    let path = flags[Setting.config.variable] ?? environment[Setting.config.variable]
    if let path, !path.isEmpty {
      try UnknownSettings.check(file: path)
      providers.append((name: { "'\($0.key)' in \(path)" }, provider: try await Self.file(path)))
    }
    self.providers = providers
  }

  private static func stateFolder(_ environment: [String: String]) -> String? {
    if let folder = environment["XDG_STATE_HOME"], folder.hasPrefix("/") {
      return folder + "/brume"
    }
    return environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/state/brume" : nil }
  }

  private static func file(_ path: String) async throws -> any ConfigProvider {
    let place = InMemoryProvider(values: ["filePath": .init(.string(path), isSecret: false)])
    do {
      return try await FileProvider<JSONSnapshot>(config: ConfigReader(provider: place))
    } catch {
      throw UnknownSettings.isNoObject(path)
    }
  }

  /// The value as a text; nil if there is none, not even by default.
  ///
  /// - Throws: `SettingError` if it is no text.
  package func text(_ setting: Setting) throws -> String? {
    guard let found = try value(setting, .string), case .string(let text) = found.content else {
      return setting.fallback
    }
    return text
  }

  /// The value as a number; nil if there is none, not even by default.
  ///
  /// - Throws: `SettingError` if it is none.
  package func number(_ setting: Setting) throws -> Int? {
    guard let found = try value(setting, .int), case .int(let number) = found.content else {
      return setting.fallback.flatMap { Int($0) }
    }
    return number
  }

  /// Whether a switch is on.
  ///
  /// - Throws: `SettingError` if it is neither true nor false.
  package func isOn(_ setting: Setting) throws -> Bool {
    guard let found = try value(setting, .bool), case .bool(let flag) = found.content else {
      return setting.fallback == "true"
    }
    return flag
  }

  /// A setting as it holds, and where that comes from.
  ///
  /// - Returns: nil as the value if there is none; a value that is secret is not shown.
  /// - Throws: `SettingError` if a source holds what it should not.
  package func origin(of setting: Setting) throws -> (value: String?, source: String) {
    let type: ConfigType =
      switch setting.kind {
      case .text: .string
      case .number: .int
      case .switch: .bool
      }
    guard let (value, source) = try found(setting, type) else {
      return (setting.fallback, "default")
    }
    let text =
      switch value.content {
      case .string(let text): text
      case .int(let number): "\(number)"
      case .bool(let flag): "\(flag)"
      default: ""
      }
    return (setting.shown(text), source)
  }

  private func value(_ setting: Setting, _ type: ConfigType) throws -> ConfigValue? {
    try found(setting, type)?.value
  }

  /// The first source that has the setting.
  private func found(
    _ setting: Setting, _ type: ConfigType
  ) throws -> (value: ConfigValue, source: String)? {
    let key = AbsoluteConfigKey(setting.key.split(separator: ".").map(String.init))
    for (name, provider) in providers {
      do {
        if let value = try provider.value(forKey: key, type: type).value {
          return (value, name(setting))
        }
      } catch {
        // What is no text holds no secret.
        let content = try? provider.value(forKey: key, type: .string).value?.content
        let text: String? = if case .string(let text) = content { text } else { nil }
        if let value = text.flatMap({ Self.value($0, type) }) { return (value, name(setting)) }
        throw SettingError(
          "\(name(setting)) is \(text.map { "'\($0)'" } ?? "something else"), and must be "
            + "\(setting.mustBe); 'brume serve --help' says more")
      }
    }
    return nil
  }

  /// What a text in the file means, which is what it means in a variable; nil if it is no such value.
  private static func value(_ text: String, _ type: ConfigType) -> ConfigValue? {
    switch type {
    case .int: Int(text).map { ConfigValue(.int($0), isSecret: false) }
    case .bool: Bool(text).map { ConfigValue(.bool($0), isSecret: false) }
    default: nil
    }
  }
}

extension Setting {
  /// What a value has to be that is another kind of value.
  fileprivate var mustBe: String {
    switch kind {
    case .text: form == "LIST" ? "one text with commas between its entries" : "one text (\(form))"
    case .number: "a number (\(form))"
    case .switch: "true or false"
    }
  }
}
