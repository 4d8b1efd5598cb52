// A file in the schema language: read, and looked at by the server. What cannot be read ends a command with 66, and
// what is no schema with 65 and the place of each mistake.

import BrumeWire

struct SchemaFile {
  struct Fault {
    let line: Int64
    let column: Int64
    let message: String
  }
  let name: String
  let text: String

  init(_ name: String) throws {
    self.name = name
    let bytes = try GivenFile.content(of: name, "the schema file")
    text = String(decoding: bytes, as: UTF8.self)
    if let fault = Self.noText(bytes, text) { throw failure([fault]) }
  }

  /// What the server says of the text.
  func look(_ connection: ServerConnection) async throws -> JSON {
    try await connection.post("schema/validate", ["schema": .string(text)])
  }

  /// The mistakes in such an answer.
  static func faults(_ answer: JSON) -> [Fault] {
    (answer["errors"]?.array ?? []).map { error in
      Fault(
        line: error["line"]?.int ?? 0, column: error["column"]?.int ?? 0,
        message: error["message"]?.string ?? "")
    }
  }

  /// The text, in which the server has found no mistake.
  func checked(_ connection: ServerConnection) async throws -> String {
    let faults = Self.faults(try await look(connection))
    guard faults.isEmpty else { throw failure(faults) }
    return text
  }

  private func failure(_ faults: [Fault]) -> CommandFailure {
    let lines = faults.map { "\(name): line \($0.line), column \($0.column): \($0.message)" }
    return CommandFailure(lines.joined(separator: "\n"), .data)
  }

  /// Where bytes are no text, or have what no text has.
  private static func noText(_ bytes: [UInt8], _ text: String) -> Fault? {
    let wrong: Unicode.Scalar
    if bytes.contains(0) {
      wrong = "\0"
    } else if String(validating: bytes, as: UTF8.self) == nil {
      // What stands for bytes that are no character.
      wrong = "\u{FFFD}"
    } else {
      return nil
    }
    let lines = text.unicodeScalars.prefix { $0 != wrong }.split(
      separator: "\n", omittingEmptySubsequences: false)
    return Fault(
      line: Int64(lines.count), column: Int64(lines.last?.count ?? 0) + 1,
      message: "this is no text; a schema is written in UTF-8")
  }
}
