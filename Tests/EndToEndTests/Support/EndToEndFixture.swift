// A whole server on a free port, inside the test process: the composition that `brume serve` runs,
// on each storage engine. Every test has its own, so that tests need not know of each other.

import BrumeKit
import BrumeModel
import BrumeServer
import Foundation
import Logging
import Testing

/// The engines that the suite runs on.
enum StorageEngine: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case memory, sqlite
  var testDescription: String { rawValue }
}

struct EndToEndFixture: Sendable {
  static let containerName = "iCloud.org.example.app"
  let server: Composition
  let url: URL

  /// Runs a server for as long as `body`.
  ///
  /// - Parameter mergingPushes: for how long silent pushes wait for others to merge with, in
  ///   milliseconds.
  static func run(
    _ engine: StorageEngine, mergingPushes: Milliseconds = 0,
    limits: (inout Limits) -> Void = { _ in },
    _ body: @escaping @Sendable (EndToEndFixture) async throws -> Void
  ) async throws {
    let folder = NSTemporaryDirectory() + "/brume-end-to-end-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var settings = settings(engine, folder, mergingPushes)
    limits(&settings.limits)
    let server = try await Composition(
      settings: settings, folder: try DataFolder(path: folder), logger: silent)
    try await Services.embed(
      server,
      while: { _ in try await body(EndToEndFixture(server: server, url: try address(of: server))) })
  }

  private static func settings(
    _ engine: StorageEngine, _ folder: String, _ mergingPushes: Milliseconds
  ) -> Settings {
    var settings = Settings()
    settings.port = 0
    settings.dataFolder = folder
    settings.engine = engine == .memory ? .memory : .sqlite
    settings.isDevelopment = true
    settings.container = ContainerID(containerName)
    settings.limits.coalescingWindow = mergingPushes
    settings.timeouts.shutdown = 1
    settings.limits.passwordRounds = 16
    return settings
  }

  private static func address(of server: Composition) throws -> URL {
    guard let url = URL(string: server.url) else { throw URLError(.badURL) }
    return url
  }

  private static let silent: Logger = {
    var logger = Logger(label: "end-to-end") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    return logger
  }()

  // MARK: Who takes part

  /// A device of a user, in a container of its own or the usual one. A nil user is nobody: the
  /// program may read the public database.
  func device(
    _ user: String?, _ name: String, container: String = containerName,
    environment: Brume.Configuration.Environment = .development
  ) async throws -> Device {
    let ready = try await credentials(container, environment)
    let token = ready.accounts.first { $0.name == user }?.token
    return Device(
      Brume.container(
        Brume.Configuration(
          url: url, container: container, environment: environment, apiToken: ready.apiToken,
          userToken: token, deviceID: name)))
  }

  /// A program that speaks for itself, with the server-to-server key of development.
  func program(keyID: String? = nil) async throws -> Device {
    let ready = try await credentials(Self.containerName, .development)
    let (file, key) = (try #require(ready.keyFile), try #require(keyID ?? ready.keyID))
    return Device(
      Brume.container(
        Brume.Configuration(
          url: url, container: Self.containerName, keyID: key,
          privateKey: try String(contentsOfFile: file, encoding: .utf8))))
  }

  /// The development credentials of a container.
  private func credentials(
    _ container: String, _ environment: Brume.Configuration.Environment
  ) async throws -> ReadyMade {
    try await server.development.prepare(
      in: ContainerEnvironment(
        ContainerID(container), environment == .production ? .production : .development))
  }

  /// Two devices of one user, with a zone.
  func pair(zone: String = "Z") async throws -> (phone: Device, laptop: Device) {
    let (phone, laptop) = (try await device("alice", "phone"), try await device("alice", "laptop"))
    try await phone.makeZone(zone)
    return (phone, laptop)
  }
}
