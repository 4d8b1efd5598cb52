// The three ways in which faults are asked for, each with a server of its own: a call in the process of
// the test, a request under /_brume/admin/, and the command line.

import BrumeKit
import BrumeTesting
import Foundation
import Testing

/// One way, and devices of alice and bob behind it.
struct FaultInterface: Sendable {
  /// What is asked for, in the words of each way.
  struct Request: Sendable {
    let local: LocalServer.Fault
    let json: String
    let words: [String]

    /// The same, for one device.
    func on(_ device: String) -> Request {
      Request(
        local: local.device(device), json: json.dropLast() + #","device":"\#(device)"}"#,
        words: words + ["--device", device])
    }
  }

  /// A device of a user. Each case has its own.
  let device: @Sendable (_ name: String, _ user: String) async throws -> Device
  let add: @Sendable (Request) async throws -> Void
  let clear: @Sendable () async throws -> Void
  let release: @Sendable () async throws -> Void
}

extension FaultInterface {
  enum Kind: String, CaseIterable, Sendable { case inProcess, http, commandLine }

  /// Runs a test through one interface.
  static func open(_ kind: Kind, _ body: (FaultInterface) async throws -> Void) async throws {
    switch kind {
    case .inProcess: try await body(try await inProcess())
    case .http:
      try await ServerProcess.run { server in
        try await body(
          interface(server) { request in
            _ = try await server.post("faults", #"{"faults":[\#(request.json)]}"#)
          })
      }
    case .commandLine:
      try await ServerProcess.run { server in
        try await body(
          interface(server) { request in
            let outcome = try await Tool.run(
              ["faults", "add"] + request.words + ["--data", server.folder])
            try #require(outcome.status == 0, "\(outcome.talk)")
          })
      }
    }
  }

  private static func inProcess() async throws -> FaultInterface {
    let server = try await LocalServer()
    return FaultInterface(
      device: { Device(try await server.device("\($0)-\($1)", of: $1)) },
      add: { server.faults.add($0.local) },
      clear: { server.faults.clear() }, release: { try await server.releasePushes() })
  }

  private static func interface(
    _ server: ServerProcess, add: @escaping @Sendable (Request) async throws -> Void
  ) -> FaultInterface {
    FaultInterface(
      device: { try server.device("\($0)-\($1)", of: $1) }, add: add,
      clear: { _ = try await server.post("faults/clear", "{}") },
      release: { _ = try await server.post("faults/release", "{}") })
  }
}
