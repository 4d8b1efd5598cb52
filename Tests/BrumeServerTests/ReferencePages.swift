// The pages of docs/reference as the code's own values make them: the list of endpoints, the settings,
// the metrics. Who compares and writes them is `ReferencePagesTests.swift`.

import BrumeServer
import Foundation
import HTTPTypes

enum ReferencePage: String, CaseIterable, Sendable {
  case routes, settings, metrics

  /// What writes the pages anew.
  static let command = "BRUME_WRITE_REFERENCE=1 swift test --filter ReferencePagesTests"

  var path: String { "docs/reference/\(rawValue).md" }

  var file: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: path)
  }

  /// - Parameter endpoints: those of a server.
  func text(_ endpoints: [Endpoint]) -> String {
    let parts: [String] =
      switch self {
      case .routes: Self.routesPage(endpoints)
      case .settings: Self.settingsPage()
      case .metrics: Self.metricsPage()
      }
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// - Parameter source: where what the page shows is declared.
  private static func origin(_ source: String) -> String {
    "Generated from \(source). Edit that, then run `\(command)`."
  }

  private static func table(_ columns: [String], _ rows: [[String]]) -> String {
    let rule = "|" + String(repeating: "---|", count: columns.count)
    let lines: [String] = [line(columns), rule] + rows.map { line($0) }
    return lines.joined(separator: "\n")
  }

  private static func line(_ cells: [String]) -> String {
    let escaped = cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")
    return "| \(escaped) |"
  }

  /// Empty for an empty text.
  private static func code(_ text: String) -> String { text.isEmpty ? "" : "`\(text)`" }
}

// MARK: Endpoints

extension ReferencePage {
  private static func routesPage(_ all: [Endpoint]) -> [String] {
    let callers = Access.kinds.map { [code($0.name), $0.meaning] }
    let places = Work.allCases.map { [code($0.rawValue), $0.meaning] }
    let paths = "/_brume/"
    let operators = "/_brume/admin/"
    let source =
      "`Sources/BrumeServer/RouteTable.swift` and "
      + "`Tests/BrumeServerTests/ReferencePages+Endpoints.swift`"
    return [
      "# Endpoints", origin(source),
      """
      A path takes `OPTIONS` too, and answers 405 to methods that it does not take. *Reading* says that a \
      copy of a signed request is answered as well, because it changes nothing; that is noted only where \
      server-to-server keys may call.
      """,
      table(["Caller", "Who may call"], callers),
      table(["Work", "Where it runs"], places),
      "## CloudKit's",
      endpoints(all) { !$0.hasPrefix(paths) },
      "## Brume's own",
      endpoints(all) { $0.hasPrefix(paths) && !$0.hasPrefix(operators) },
      "## The operator's",
      endpoints(all) { $0.hasPrefix(operators) },
    ]
  }

  private static func endpoints(_ all: [Endpoint], _ isPart: (String) -> Bool) -> String {
    let rows = all.filter { isPart($0.path) }.map { row($0) }
    return table(["Method", "Path", "Caller", "Work", "Reading"], rows)
  }

  private static func row(_ endpoint: Endpoint) -> [String] {
    let methods = endpoint.methods.map(\.rawValue).joined(separator: ", ")
    let body = endpoint.streams ? ", body in pieces" : ""
    return [
      methods, code(template(endpoint.path)), endpoint.access.name,
      "\(endpoint.work.rawValue)\(body)", endpoint.isRead ? "yes" : "",
    ]
  }

  /// `:container` as the other pages write it.
  private static func template(_ path: String) -> String {
    path.split(separator: "/").map { $0.hasPrefix(":") ? "/{\($0.dropFirst())}" : "/\($0)" }
      .joined()
  }
}

// MARK: Settings

extension ReferencePage {
  private static func settingsPage() -> [String] {
    let columns = ["Flag", "Variable", "Key", "Value", "Default", "Meaning"]
    let source =
      "`Sources/BrumeServer/Setting.swift`, `Setting+Delivery.swift` and "
      + "`Assets/AssetSettings.swift`"
    return [
      "# Settings", origin(source),
      """
      Of `brume serve`. A flag comes first, then the variable, then the file that `--config` names, then \
      the default; where there is none, the meaning says what holds. The file is JSON: the key `log.level` \
      is `{"log": {"level": "debug"}}`. A flag takes its value as `--port 80` or `--port=80`; a switch may \
      stand alone. `brume config show` prints what holds and where it comes from. A variable `BRUME_…` or a \
      key of the file that is no setting is refused: a misspelt one would silently do nothing.
      """,
      table(columns, Setting.all.map { row($0) }),
    ]
  }

  private static func row(_ setting: Setting) -> [String] {
    let form = setting.kind == .switch ? "true|false" : setting.form
    return [
      code(setting.flag), code(setting.variable), code(setting.key), code(form),
      code(setting.fallback ?? ""), setting.help,
    ]
  }
}

// MARK: Metrics

extension ReferencePage {
  private static func metricsPage() -> [String] {
    let columns = ["Name", "Kind", "Unit", "Labels", "Meaning"]
    return [
      "# Metrics", origin("`Sources/BrumeServer/Metrics/Metric.swift`"),
      """
      `/_brume/metrics` shows them as Prometheus reads them; [who may ask](../sign-in.md#metrics). Counters \
      begin at 0 with each start of the server. A histogram has the series `_bucket`, `_sum` and `_count`.
      """,
      table(columns, Metric.all.map { row($0) }),
    ]
  }

  private static func row(_ metric: Metric) -> [String] {
    let labels = metric.labels.map { code($0) }.joined(separator: ", ")
    return [code(metric.name), metric.kind.rawValue, metric.unit, labels, metric.meaning]
  }
}
