// A development server in a process of its own, and devices of its users: for tests whose own process is
// busy, as one that waits for a process to end is.

import BrumeKit
import BrumeServer
import BrumeStorage
import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct ServerProcess: Sendable {
  let folder: String
  private let variables: [String: String]
  private let admin: (url: String, token: String)

  /// Runs a server for as long as `body`.
  static func run(
    store: String = "memory", _ body: (ServerProcess) async throws -> Void
  ) async throws {
    try await Tool.withFolder { try await run(store: store, in: $0, body) }
  }

  /// The same, on a data folder that stays.
  static func run(
    store: String, in folder: String, _ body: (ServerProcess) async throws -> Void
  ) async throws {
    // Nobody reads its log: with a line for each request it fills the pipe, and the server's end waits for a reader.
    let (process, lines) = try await Tool.serve(
      "--dev", "--port", "0", "--store", store, "--data", folder, "--log-level", "warning")
    guard lines.contains("Stop with Ctrl-C.") else {
      let status = await Tool.end(process)
      let talk = String(decoding: process.talk.readDataToEndOfFile(), as: UTF8.self)
      throw StoreError(.unavailable, "the server ended with \(status): \(talk)")
    }
    do {
      try await body(try ServerProcess(folder: folder, lines: lines))
    } catch {
      _ = await Tool.end(process)
      throw error
    }
    #expect(await Tool.end(process) == 0)
  }

  private init(folder: String, lines: [String]) throws {
    self.folder = folder
    variables = Dictionary(
      lines.compactMap { line in
        let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
      }, uniquingKeysWith: { $1 })
    let file = try ServerFile(folder: folder)
    admin = (file.url, file.adminToken)
  }

  func device(_ name: String, of user: String) throws -> Device {
    Device(Brume.container(try settings(name, of: user)))
  }

  func settings(_ name: String, of user: String) throws -> Brume.Configuration {
    try Brume.Configuration(environmentOf: user, deviceID: name, variables: variables)
  }

  func post(_ path: String, _ body: String) async throws -> Data {
    var request = URLRequest(
      url: try #require(URL(string: "\(admin.url)/_brume/admin/\(path)")))
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    request.setValue("Bearer \(admin.token)", forHTTPHeaderField: "Authorization")
    let (data, answer) = try await URLSession.shared.data(for: request)
    let status = (answer as? HTTPURLResponse)?.statusCode
    try #require(status == 200, "\(String(decoding: data, as: UTF8.self))")
    return data
  }
}
