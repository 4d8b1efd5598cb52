// The tool runs the built `brume` as a shell would.

import Dispatch
import Foundation

struct Tool: Sendable {
  /// Beside the test bundle.
  static let path: String = {
    let bundle = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let candidates = [bundle, URL(filePath: ".build/debug")].map {
      $0.appending(path: "brume").path
    }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
  }()

  struct Outcome: Sendable {
    let status: Int32
    let output: String
    let talk: String
  }

  /// A folder for one test, removed by `withFolder`.
  static func withFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let folder = NSTemporaryDirectory() + "/brume-tool-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
  }

  static func run(_ arguments: String...) async throws -> Outcome { try await run(arguments) }

  static func run(_ arguments: [String]) async throws -> Outcome {
    try await run(path, arguments)
  }

  /// A line of a shell, in which the program is `"$0"`.
  static func shell(_ line: String) async throws -> Outcome {
    try await run("/bin/sh", ["-c", line, path])
  }

  private static func run(_ program: String, _ arguments: [String]) async throws -> Outcome {
    try await inBackground {
      let child = try Child(program, arguments, environment)
      // The talk is short enough to wait in its pipe until the output has ended.
      let (output, talk) = (child.output.readDataToEndOfFile(), child.talk.readDataToEndOfFile())
      return Outcome(
        status: child.status(), output: String(decoding: output, as: UTF8.self),
        talk: String(decoding: talk, as: UTF8.self))
    }
  }

  /// Starts `brume serve` and returns when it says that it is ready, or has ended.
  static func serve(_ arguments: String...) async throws -> (process: Child, lines: [String]) {
    try await serve(arguments)
  }

  static func serve(_ arguments: [String]) async throws -> (process: Child, lines: [String]) {
    try await inBackground {
      let child = try Child(path, ["serve"] + arguments, environment)
      var text = ""
      while !text.contains("Stop with Ctrl-C.") {
        let part = child.output.availableData
        if part.isEmpty { break }
        text += String(decoding: part, as: UTF8.self)
      }
      return (child, text.split(separator: "\n").map(String.init))
    }
  }

  /// Starts `brume serve` and returns its log when a text stands in it, or it has ended.
  static func serve(
    loggingUntil text: String, _ arguments: [String]
  ) async throws -> (process: Child, log: String) {
    try await inBackground {
      let child = try Child(path, ["serve"] + arguments, environment)
      var log = ""
      while !log.contains(text) {
        let part = child.talk.availableData
        if part.isEmpty { break }
        log += String(decoding: part, as: UTF8.self)
      }
      return (child, log)
    }
  }

  /// Sends a signal and waits for the end.
  static func end(_ process: Child, with signal: Int32 = SIGTERM) async -> Int32 {
    kill(process.id, signal)
    let status = try? await inBackground { process.status() }
    return status ?? -1
  }

  /// Sends a signal, and only then reads the talk, to its end.
  static func endReading(
    _ process: Child, with signal: Int32 = SIGTERM
  ) async throws -> (status: Int32, talk: String) {
    kill(process.id, signal)
    return try await inBackground {
      let talk = process.talk.readDataToEndOfFile()
      return (process.status(), String(decoding: talk, as: UTF8.self))
    }
  }

  /// Waiting for a process blocks, so it gets a thread of its own: a serial queue has one.
  private static func inBackground<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "tool").async { continuation.resume(with: Result(catching: body)) }
    }
  }

  /// What surrounds the test run must not configure the server, nor keep traces of it. What ends by a signal ends at once.
  private static var environment: [String: String] {
    ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("BRUME_") }
      .merging(["BRUME_MARKS": "none", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
  }
}
