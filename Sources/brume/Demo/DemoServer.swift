// A throw-away server in a process of its own, and what a device needs to reach it.

import BrumeModel
import Foundation

struct DemoServer {
  let folder: URL
  private let process: Process
  private var environment: [String: String] = [:]

  /// Starts `brume serve` on a free port with a new data folder.
  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "brume-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process = ChildProgram.process([
      "serve", "--dev", "--port", "0", "--data", folder.path, "--marks", "none", "--log-level",
      "warning",
    ])
    process.standardOutput = FileHandle.nullDevice
    do { try process.run() } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
  }

  /// `brume status --format env` answers once the server listens.
  mutating func waitUntilReady() async throws {
    for _ in 0..<600 {
      guard process.isRunning else { throw DemoFailure("the server ended while it started") }
      let status = try Self.run(["status", "--data", folder.path, "--format", "env"])
      if status.exit == 0 {
        environment = Self.parse(status.output)
        return
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw DemoFailure("the server was not ready after 30 s")
  }

  /// What a device of one user gets as its environment.
  func device(_ id: String, of user: String) throws -> [String: String] {
    guard let token = environment[UserTokenVariable.name(of: user)] else {
      throw DemoFailure("the server printed no token for \(user)")
    }
    let state = folder.appending(path: "devices/\(id)")
    try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
    return environment.merging([
      "BRUME_USER_TOKEN": token, "BRUME_DEVICE_ID": id, "BRUME_STATE_DIR": state.path,
    ]) { $1 }
  }

  /// Runs another `brume` command against this server.
  func command(_ arguments: String...) throws {
    let result = try Self.run(arguments + ["--data", folder.path])
    guard result.exit == 0 else {
      throw DemoFailure("brume \(arguments.joined(separator: " ")) failed")
    }
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func run(_ arguments: [String]) throws -> (exit: Int32, output: String) {
    let process = ChildProgram.process(arguments)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  private static func parse(_ text: String) -> [String: String] {
    var values: [String: String] = [:]
    for line in text.split(separator: "\n") {
      guard let equals = line.firstIndex(of: "=") else { continue }
      values[String(line[..<equals])] = String(line[line.index(after: equals)...])
    }
    return values
  }
}
