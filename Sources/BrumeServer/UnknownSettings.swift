// Variables and keys of the configuration file that are no settings. A misspelt one would be ignored, and the
// server run otherwise than its operator believes.

import BrumeModel
import BrumeWire

enum UnknownSettings {
  /// What clients of a server read (`brume status --format env`). `brume exec` sets them for any command.
  private static let ofClients: Set<String> = [
    "BRUME_URL", "BRUME_ADMIN_TOKEN", "BRUME_CONTAINER", "BRUME_ENVIRONMENT", "BRUME_API_TOKEN",
    "BRUME_USER_TOKEN", "BRUME_SECOND_USER_TOKEN",
    "BRUME_DEVICE_ID", "BRUME_STATE_DIR", "BRUME_KEY_ID", "BRUME_KEY_FILE",
    "BRUME_TRUST",
    // `brume import cloudkit`
    "BRUME_FROM_KEY_ID", "BRUME_FROM_KEY_FILE", "BRUME_FROM_API_TOKEN", "BRUME_FROM_WEB_AUTH_TOKEN",
  ]

  /// - Parameter variables: names of all variables of the process.
  static func check(variables: some Collection<String>) throws(SettingError) {
    let settings = Setting.all.map(\.variable)
    let unknown = variables.filter { name in
      name.hasPrefix("BRUME_") && !settings.contains(name) && !ofClients.contains(name)
        && !name.hasPrefix(UserTokenVariable.prefix)
    }
    guard let name = unknown.min() else { return }
    throw SettingError(
      "the variable \(name) is no setting; \(advice(name, among: settings))")
  }

  /// As strict as with requests: of a key that is there twice one would be dropped in silence.
  /// - Parameter file: the path of one that should be JSON.
  static func check(file: String) throws(SettingError) {
    guard let bytes = DataFolder.read(file) else {
      throw fault(file, "cannot be read; check its path and who may read it")
    }
    let json: JSON
    do throws(BrumeError) {
      json = try JSON(parsing: bytes)
    } catch {
      throw fault(file, "cannot be read as JSON: \(error.reason)")
    }
    guard case .object = json else { throw isNoObject(file) }
    let settings = Setting.all.map(\.key)
    guard let key = keys(json, "").filter({ !settings.contains($0) }).min() else { return }
    throw SettingError(
      "'\(key)' in \(file) is no setting; \(advice(key, among: settings))")
  }

  static func isNoObject(_ path: String) -> SettingError {
    fault(path, "must be one JSON object, such as {\"port\": 8787}")
  }

  private static func fault(_ path: String, _ words: String) -> SettingError {
    SettingError("the configuration file '\(path)' \(words)")
  }

  /// Of all values of the file, joined by points.
  private static func keys(_ json: JSON, _ prefix: String) -> [String] {
    guard case .object(let object) = json else { return [prefix] }
    return object.members.flatMap { member in
      keys(member.value, prefix.isEmpty ? member.key : "\(prefix).\(member.key)")
    }
  }

  /// Which name was probably meant, and where all of them are listed.
  static func advice(_ name: String, among names: [String]) -> String {
    let list = "'brume serve --help' lists all"
    return NearName.of(name, among: names).map { "did you mean \($0)? \(list)" } ?? list
  }
}
