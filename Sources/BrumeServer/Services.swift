// The services of `serve` and their order. Shutdown goes backwards: first the listener (open requests
// finish, streams are asked to end), then the notifier, then delivery to the outside, last the store.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeTracing
package import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle

/// Closes the store when everything that uses it has ended.
private struct StoreService: Service {
  let store: any Store
  func run() async throws {
    try? await gracefulShutdown()
    try await store.close()
  }
}

/// Ends the server when its storage fails: nothing it could answer would be certain.
private struct StorageWatch: Service {
  let health: Health
  func run() async throws {
    let failure = await cancelWhenGracefulShutdown { await health.firstFailure() }
    if let failure { throw failure }
  }
}

/// Works until the server ends, on threads that may block: it asks the store.
private struct LastingWork: Service {
  let name: String
  let work: @Sendable () async throws -> Void

  func run() async throws {
    let work = work
    try await Workers.background.run(for: name) { try await Self.carryOut(work) }
  }

  private static func carryOut(_ work: @escaping @Sendable () async throws -> Void) async throws {
    do { try await cancelWhenGracefulShutdown(work) } catch is CancellationError {}
  }
}

/// Sends traces. Not cancelled: what ended last is sent too.
private struct TraceService: Service {
  let exporter: OTLPExporter
  let logger: Logger

  func run() async throws {
    await withGracefulShutdownHandler {
      await exporter.run(logger)
    } onGracefulShutdown: {
      exporter.finish()
    }
  }
}

/// Runs a server.
package enum Services {
  /// Serves until the order to end is given.
  ///
  /// - Parameter onReady: called once, with the port, when requests are answered.
  /// - Throws: `RestartAsked` if the server is to start anew, and `server.restart` allows it; what a service throws
  ///   that cannot go on, and what `onReady` throws.
  package static func run(
    _ server: Composition, until end: EndOrder,
    onReady: @escaping @Sendable (Int) async throws -> Void
  ) async throws {
    let group = ServiceGroup(configuration: configuration(server, onReady))
    try await listening(server) { try await end.run(group) }
  }

  /// Serves for as long as `body` runs, then ends in good order, also when `body` throws. For servers
  /// inside other programs.
  package static func embed<Value: Sendable>(
    _ server: Composition, while body: @escaping @Sendable (_ port: Int) async throws -> Value
  ) async throws -> Value {
    let (ports, found) = AsyncStream<Int>.makeStream()
    let group = ServiceGroup(configuration: configuration(server) { found.yield($0) })
    return try await withThrowingTaskGroup(of: Result<Value, any Error>?.self) { tasks in
      tasks.addTask(operation: {
        try await listening(server) { try await group.run() }
        return nil
      })
      tasks.addTask(operation: {
        for await port in ports {
          do { return .success(try await body(port)) } catch { return .failure(error) }
        }
        return nil
      })
      let outcome = try await tasks.next() ?? nil
      await group.triggerGracefulShutdown()
      guard let outcome else { throw CancellationError() }
      try await tasks.waitForAll()
      return try outcome.get()
    }
  }

  /// The place where the server listens is seen to, before and after.
  private static func listening(
    _ server: Composition, _ run: () async throws -> Void
  ) async throws {
    try server.settings.unixSocket?.prepare()
    defer { server.settings.unixSocket?.remove() }
    do { try await run() } catch {
      throw CannotListen(error, server.settings) ?? error
    }
  }

  private static func lasting(
    _ name: String, _ work: @escaping @Sendable () async throws -> Void
  ) -> any Service { LastingWork(name: name, work: work) }

  /// Goes on when the store has room again, or can be reached.
  private static func lasting(
    _ name: String, _ retry: StoreRetry, _ work: @escaping @Sendable () async throws -> Void
  ) -> any Service { lasting(name) { try await retry.run(work) } }

  private static func configuration(
    _ server: Composition, _ onReady: @escaping @Sendable (Int) async throws -> Void
  ) -> ServiceGroupConfiguration {
    var logger = server.logger
    // The libraries' own lifecycle lines are for their authors.
    if logger.logLevel == .info { logger.logLevel = .warning }
    let last: [any Service] = [
      StorageWatch(health: server.health), RestartWatch(restart: server.restart),
      lasting("streams") { [reads = server.mailboxDelivery.reads] in await reads.run() },
      application(server, logger, onReady),
    ]
    let services = work(server).compactMap(\.self) + upkeep(server) + last
    var configuration = ServiceGroupConfiguration(
      services: services.map {
        // Also after a failure: what is under way gets its answer, streams and connections their end.
        .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
      },
      logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(server.settings.timeouts.shutdown)
    return configuration
  }

  /// What pushes and their devices need.
  private static func work(_ server: Composition) -> [(any Service)?] {
    [
      server.exporter.map { TraceService(exporter: $0, logger: server.logger) },
      StoreService(store: server.store),
      lasting("delivery") { [deliveries = server.deliveries, retry = server.storeRetry] in
        try await deliveries.run(retry)
      },
      lasting("notifier", server.storeRetry) { [notifiers = server.notifiers] in
        try await notifiers.run()
      },
      server.mailboxDelivery.tail.map { tail in
        lasting("mailboxes", server.storeRetry) { try await tail.run() }
      },
      server.accountTail.map { tail in
        lasting("accounts", server.storeRetry) { try await tail.run() }
      },
      lasting("assets") { [sweeps = assetSweeps(server)] in try await sweeps.run() },
    ]
  }

  private static func assetSweeps(_ server: Composition) -> AssetSweepService {
    AssetSweepService(
      sweeper: server.engine.assetSweeper, leases: server.store.leases,
      clock: server.clock.waiting(for: "a look for files that no record holds"),
      seconds: server.settings.assets.sweepInterval, logger: server.logger)
  }

  /// What keeps the server in order, and follows it.
  private static func upkeep(_ server: Composition) -> [any Service] {
    [
      lasting("usage") { [usage = server.usage, logger = server.logger] in
        await usage.keep(logger)
      },
      lasting("storage of users") { [sampler = StorageSampler(server)] in
        try await sampler.run()
      },
      lasting("snapshots") { [snapshots = server.snapshots] in await snapshots.run() },
      lasting("console events") {
        [events = server.events, store = server.store, beat = server.settings.timeouts.heartbeat] in
        await events.run(following: store, beat: beat)
      },
      lasting("restores") { [restores = server.restores] in await restores.run() },
      lasting("old snapshots") {
        [snapshots = server.snapshots, restores = server.restores, clock = server.clock] in
        let clock = clock.waiting(for: "a look for old snapshots")
        while true {
          try await clock.sleep(clock.now() + 60_000)
          snapshots.expire()
          restores.expire()
        }
      },
      lasting("deletions") { try await deletions(server).run() },
    ]
  }

  private static func deletions(_ server: Composition) -> DeletionService {
    DeletionService(
      memory: server.engine.deletionMemory, zones: server.engine.zoneEmptying,
      leases: server.store.leases,
      clock: server.clock.waiting(for: "a look for old deletions"),
      interval: server.settings.limits.deletionSweep, metrics: server.metrics,
      logger: server.logger)
  }

  /// The listener with its routes.
  package static func application(
    _ server: Composition, _ logger: Logger,
    _ onReady: @escaping @Sendable (Int) async throws -> Void = { _ in }
  ) -> some ApplicationProtocol {
    Application(
      responder: RouteTable.router(for: server).buildResponder(),
      server: .init { Connections(server).channel($0) },
      configuration: .init(
        address: address(server.settings), serverName: "brume",
        availableConnectionsDelegate: MaximumAvailableConnections(server.settings.connections)),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? server.settings.port
        server.address.listening(on: port)
        server.health.serving(true)
        do {
          try await onReady(port)
        } catch {
          server.logger.error("start-up failed", metadata: ["error": "\(error)"])
          server.health.storageFailed(StoreError(.unavailable, "start-up failed: \(error)"))
        }
      },
      logger: logger)
  }

  private static func address(_ settings: Settings) -> BindAddress {
    settings.unixSocket.map { .unixDomainSocket(path: $0.path) }
      ?? .hostname(settings.host, port: settings.port)
  }
}
