// Files in the schema language that commands cannot use: which status says so, and in which words.

import Foundation
import Testing

@Suite struct SchemaFileTests {
  private static let faulty = "DEFINE SCHEMA\n  RECORD TYPE Note (\n    title STRIN\n  );\n"

  @Test func `a faulty schema ends every command with 65 and the place of its mistake`()
    async throws
  {
    try await Shell.serving { brume in
      let file = try brume.file("bad.ckdb", Self.faulty)
      for command in ["diff", "import"] {
        let outcome = try await brume("schema", command, file)
        outcome.expect(65, "Error: \(file): line 3, column 11: encountered 'STRIN'")
        #expect(outcome.output.isEmpty)
      }
      let checked = try await brume("schema", "validate", file)
      checked.expect(65)
      #expect(checked.output.hasPrefix("\(file):3:11: encountered 'STRIN'"), "\(checked.output)")
    }
  }

  @Test func `each mistake of a schema is named`() async throws {
    try await Shell.serving { brume in
      let file = try brume.file(
        "two.ckdb", "DEFINE SCHEMA\nRECORD TYPE A (a B);\nRECORD TYPE C (c D);\n")
      try await brume("schema", "diff", file).expect(
        65, "\(file): line 2, column 18", "\n\(file): line 3, column 18")
    }
  }

  @Test func `what is no text is no schema, wherever that shows`() async throws {
    try await Shell.serving { brume in
      let file = try brume.file("zero.ckdb", "DEFINE SCHEMA\n-- \u{0}\n;")
      for command in ["diff", "import", "validate"] {
        try await brume("schema", command, file).expect(65, "\(file): line 2, column 4: ")
      }
      let bytes = "\(brume.folder)/bytes.ckdb"
      try Data(Array("DEFINE SCHEMA -- ".utf8) + [0xff]).write(to: URL(filePath: bytes))
      try await brume("schema", "diff", bytes).expect(65, "\(bytes): line 1, column 18: ")
    }
  }

  @Test func `a schema that cannot be read ends every command with 66, its name and why`()
    async throws
  {
    try await Shell.serving { brume in
      for command in ["diff", "import", "validate"] {
        let missing = try await brume("schema", command, "\(brume.folder)/none.ckdb")
        missing.expect(66, "none.ckdb' cannot be read", "No such file")
        try await brume("schema", command, brume.folder).expect(66, "Is a directory")
      }
    }
  }

  @Test func `exec refuses a schema as the other commands do`() async throws {
    try await Tool.withFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let file = folder + "/bad.ckdb"
      try Self.faulty.write(toFile: file, atomically: true, encoding: .utf8)
      let faulty = try await Tool.run("exec", "--schema", file, "--", "true")
      faulty.expect(65, "Error: \(file): line 3, column 11: encountered 'STRIN'")
      let missing = try await Tool.run("exec", "--schema", folder + "/none", "--", "true")
      missing.expect(66, "none' cannot be read", "No such file")
    }
  }
}
