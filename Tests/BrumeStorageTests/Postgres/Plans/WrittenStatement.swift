// The statements that the sources have, each where it is written.

import Foundation

struct WrittenStatement: Hashable {
  /// File and constant: what it is called, wherever its lines move.
  let name: String
  /// As `SQL.places` says it.
  let place: String

  /// All but those that are put together from the parts of a query.
  static func all() throws -> [WrittenStatement] {
    let files =
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL } ?? []
    return try files.filter { $0.pathExtension == "swift" && !parts.contains(name(of: $0)) }
      .flatMap { try all(in: String(contentsOf: $0, encoding: .utf8), ofFile: name(of: $0)) }
  }

  static func all(in text: String, ofFile file: String) -> [WrittenStatement] {
    var (constant, found) = ("init", [WrittenStatement]())
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.drop(while: \.isWhitespace).hasPrefix("//")
    {
      if let last = line.matches(of: /(?:static let|func) (\w+)/).last {
        constant = String(last.output.1)
      }
      guard line.contains(/(?:^|[^\w.])(?:SQL|Table)\(/) else { continue }
      found.append(
        WrittenStatement(name: "\(file).\(constant)", place: "\(file).swift:\(index + 1)"))
    }
    return found
  }

  private static func name(of file: URL) -> String {
    file.deletingPathExtension().lastPathComponent
  }

  /// What makes statements, and the texts of queries.
  private static let parts: Set = ["SQL", "JoinedSQL", "Table", "Statement"]
  private static let sources = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in
    url.deletingLastPathComponent()
  }.appending(path: "Sources/BrumePostgres")
}
