// Flags as the list of settings defines them, for the command line: parsing and the help text.

/// Reads flags.
package enum SettingFlags {
  /// Turns arguments into values by variable name, the form that `SettingSources` takes.
  ///
  /// `--name value` and `--name=value` both work; a switch may stand alone.
  ///
  /// - Throws: `SettingError` for an argument that is no flag, and for a value that is missing.
  package static func parse(_ arguments: [String]) throws -> [String: String] {
    var values: [String: String] = [:]
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let setting = Setting.all.first(where: { $0.flag == parts[0] }) else {
        let advice = UnknownSettings.advice(String(parts[0]), among: Setting.all.map(\.flag))
        throw SettingError("'\(argument)' is not an option of serve; \(advice)")
      }
      if parts.count == 2 {
        values[setting.variable] = String(parts[1])
      } else if setting.kind == .switch {
        values[setting.variable] = "true"
      } else if let value = rest.popFirst(), !value.hasPrefix("--") {
        values[setting.variable] = value
      } else {
        throw SettingError("\(setting.flag) needs a value (\(setting.form))")
      }
    }
    return values
  }

  /// One paragraph for each setting.
  package static func help() -> String {
    Setting.all.map { setting in
      let usage = setting.form.isEmpty ? setting.flag : "\(setting.flag) \(setting.form)"
      let fallback = setting.fallback.map { $0.isEmpty || $0 == "false" ? "" : " (default: \($0))" }
      return "  \(usage)\n      \(setting.help)\(fallback ?? "") [\(setting.variable)]"
    }.joined(separator: "\n")
  }
}
