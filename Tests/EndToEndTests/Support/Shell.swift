// Commands at one development server, as somebody types them one after the other.

import Foundation
import Testing

struct Shell: Sendable {
  let folder: String

  /// A development server in memory for as long as `body` runs.
  static func serving(
    _ options: String..., body: (Shell) async throws -> Void
  ) async throws {
    try await Tool.withFolder { folder in
      let given = options.isEmpty ? ["--dev", "--store", "memory"] : options
      let server = try await Tool.serve(given + ["--port", "0", "--data", folder])
      try await body(Shell(folder: folder))
      #expect(await Tool.end(server.process) == 0)
    }
  }

  func callAsFunction(_ arguments: String...) async throws -> Tool.Outcome {
    try await self(arguments)
  }

  func callAsFunction(_ arguments: [String]) async throws -> Tool.Outcome {
    try await Tool.run(arguments + ["--data", folder])
  }

  func file(_ name: String, _ text: String) throws -> String {
    let path = "\(folder)/\(name)"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }
}

extension Tool.Outcome {
  /// That the command ended so, and said all of these.
  func expect(
    _ status: Int32, _ words: String..., location: SourceLocation = #_sourceLocation
  ) {
    #expect(self.status == status, "\(talk)\(output)", sourceLocation: location)
    for word in words {
      #expect(talk.contains(word), "\(talk)", sourceLocation: location)
    }
  }
}
