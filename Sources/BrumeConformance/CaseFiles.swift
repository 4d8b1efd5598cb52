// Case files, on disk or inside the binary: YAML, read as JSON. Plain scalars are what JSON would read them as, and texts
// otherwise; YAML's other spellings (`yes`, `0x1f`, dates) stay texts.

import BrumeWire
import CConformanceCases
import FoundationEssentials
import Yams

/// Reads case files.
package enum CaseFiles {
  /// All cases below a folder, in the order of their paths.
  ///
  /// - Throws: `CaseError` if there is no such folder or a file is no list of cases; what reading a file throws.
  package static func cases(in folder: String) throws -> [Case] {
    let files = FileManager.default
    guard let paths = try? files.subpathsOfDirectory(atPath: folder) else {
      throw CaseError("there is no folder '\(folder)' with cases; name it with --cases")
    }
    return try paths.filter { $0.hasSuffix(".yaml") }.sorted().flatMap { path in
      let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
      return try cases(text, file: String(path.dropLast(5)))
    }
  }

  /// The cases that came with this program.
  ///
  /// - Throws: `CaseError` that names the file and the case.
  package static func bundled() throws -> [Case] {
    try files.flatMap { try cases($0.text, file: $0.name) }
  }

  /// The files inside the binary, by their paths without the ending.
  package static var files: [(name: String, text: String)] {
    var count = 0
    let first = brume_case_files(&count)
    return UnsafeBufferPointer(start: first, count: count).map { file in
      (String(cString: file.name), String(cString: file.text))
    }
  }

  /// The cases of one file: a list.
  ///
  /// - Throws: `CaseError` that names the file and the case.
  package static func cases(_ text: String, file: String) throws -> [Case] {
    let json: JSON
    do {
      json = try Yams.compose(yaml: text).map { JSON(yaml: $0) } ?? .null
    } catch {
      throw CaseError("\(file): \(error)")
    }
    guard case .array(let list) = json else {
      throw CaseError("\(file): a case file is a list of cases")
    }
    return try list.flatMap { item throws(CaseError) in try Case.read(item, in: file) }
  }
}

extension JSON {
  init(yaml node: Node) {
    switch node {
    case .scalar(let scalar):
      self = scalar.style == .plain ? Self.plain(scalar.string) : .string(scalar.string)
    case .sequence(let sequence): self = .array(sequence.map { JSON(yaml: $0) })
    case .mapping(let mapping):
      var object = JSONObject()
      for (key, value) in mapping { object[key.string ?? ""] = JSON(yaml: value) }
      self = .object(object)
    case .alias: self = .null
    }
  }

  private static func plain(_ text: String) -> JSON {
    if text.isEmpty || text == "~" { return .null }
    return (try? JSON(parsing: Array(text.utf8))) ?? .string(text)
  }
}
