// Where traces go, as the settings say it.

import BrumePush
import BrumeTracing

extension TracingSettings {
  /// - Returns: nil if there is no endpoint.
  init?(_ sources: SettingSources) throws {
    guard var endpoint = try sources.text(.otlpEndpoint), !endpoint.isEmpty else { return nil }
    while endpoint.last == "/" { endpoint.removeLast() }
    guard (try? PushURL(endpoint)) != nil else {
      throw SettingError(
        "\(Setting.otlpEndpoint.flag) must be like http://host:4318; /v1/traces is added to it")
    }
    let headers = try (sources.text(.otlpHeaders) ?? "").split(separator: ",").map { part in
      let pair = part.split(separator: "=", maxSplits: 1)
      let name = (pair.first ?? "").filter { $0 != " " }
      guard pair.count == 2, !name.isEmpty else {
        throw SettingError("\(Setting.otlpHeaders.flag) must be like name=value,name=value")
      }
      return Header(name: name, value: String(pair[1].drop { $0 == " " }))
    }
    self.init(
      endpoint: endpoint, percent: try Settings.number(.otlpPercent, from: sources, in: 0...100),
      headers: headers)
  }
}
