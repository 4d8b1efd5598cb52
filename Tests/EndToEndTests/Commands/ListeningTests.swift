// A server that cannot listen where it should ends with one status, whatever it should listen on.

import Foundation
import Testing

@Suite struct ListeningTests {
  private func serve(_ folder: String, on path: String) async throws -> Tool.Outcome {
    try await Tool.run(
      "serve", "--store", "memory", "--data", folder + "/other", "--unix-socket", path)
  }

  @Test func `a socket that another server has is refused as a taken port is`() async throws {
    try await Tool.withFolder { folder in
      let path = folder + "/a.sock"
      let server = try await Tool.serve(
        "--store", "memory", "--data", folder, "--unix-socket", path)
      try await serve(folder, on: path).expect(
        73, "another server listens on '\(path)'", "--unix-socket")
      #expect(await Tool.end(server.process) == 0)
      try "mine".write(toFile: path, atomically: true, encoding: .utf8)
      try await serve(folder, on: path).expect(73, "'\(path)' exists and is no socket")
    }
  }

  @Test func `a socket whose folder is missing, or no folder, is named with the next step`()
    async throws
  {
    try await Tool.withFolder { folder in
      let path = folder + "/none/a.sock"
      try await serve(folder, on: path).expect(
        73, "'\(path)' cannot be made: its folder is not there", "make it, or choose another path")
      try "mine".write(toFile: folder + "/file", atomically: true, encoding: .utf8)
      try await serve(folder, on: folder + "/file/a.sock").expect(73, "--unix-socket")
    }
  }

  @Test func `a path that is too long for a socket is refused`() async throws {
    try await Tool.withFolder { folder in
      let path = folder + "/" + String(repeating: "x", count: 120)
      try await serve(folder, on: path).expect(
        73, "\(path.utf8.count) bytes", "choose a shorter one with --unix-socket")
    }
  }
}
