// Runs the built `brume` as a shell would.

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
    let process = process(arguments)
    let (output, talk) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = talk
    return try await withCheckedThrowingContinuation { continuation in
      // Reading to the end waits, so it gets threads of its own.
      DispatchQueue(label: "tool").async {
        do {
          try process.run()
          let outputText = output.fileHandleForReading.readDataToEndOfFile()
          let talkText = talk.fileHandleForReading.readDataToEndOfFile()
          process.waitUntilExit()
          continuation.resume(
            returning: Outcome(
              status: process.terminationStatus,
              output: String(decoding: outputText, as: UTF8.self),
              talk: String(decoding: talkText, as: UTF8.self)))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  /// Starts `brume serve` and returns when it says that it is ready.
  static func serve(_ arguments: String...) async throws -> (process: Process, lines: [String]) {
    let process = process(["serve"] + arguments)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "tool").async {
        do {
          try process.run()
          var text = ""
          while !text.contains("Stop with Ctrl-C."), process.isRunning {
            text += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
          }
          let lines = text.split(separator: "\n").map(String.init)
          continuation.resume(returning: (process, lines))
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  /// Sends a signal and waits for the end.
  static func end(_ process: Process, with signal: Int32 = SIGTERM) async -> Int32 {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "tool").async {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        continuation.resume(returning: process.terminationStatus)
      }
    }
  }

  private static func process(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    // What surrounds the test run must not configure the server.
    process.environment = ProcessInfo.processInfo.environment.filter {
      !$0.key.hasPrefix("BRUME_")
    }
    return process
  }
}
